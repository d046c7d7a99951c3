import Broker

/// Any file gives settings, or an error that points at one of its lines.
enum SettingsRules {
    static func check(_ input: [UInt8]) throws(Broken) {
        let lines = input.count { $0 == UInt8(ascii: "\n") } + 1
        let file: SettingsFile
        do throws(SettingsError) {
            file = try SettingsFile(input, defaults: .usual)
        } catch {
            try expect((1...lines).contains(error.line), "an error on line \(error.line) of \(lines)")
            try expect(!error.reason.isEmpty, "an error without words")
            try expect(
                error.reason.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "an error with control characters: \(error)")
            return
        }
        try expect(file.listen?.isEmpty != true, "a list of no addresses was taken")
        for (name, _) in file.limits {
            let line = file.line(of: "limits." + name.rawValue)
            try expect((1...lines).contains(line ?? 0), "a limit on line \(line ?? 0) of \(lines)")
        }
    }
}
