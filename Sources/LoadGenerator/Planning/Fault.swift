import Transport

/// Something that goes wrong on purpose during a run.
public enum Fault: Sendable, Equatable {
    /// So many connections of subscribers a second are reset (RST); they come back.
    case resets(perSecond: Double)
    /// So many connections come up, ask for half an upgrade, and say nothing more; the server should end them.
    case halfOpen(connections: Int)
    /// So many of 100 connections send the request of their upgrade one byte at a time.
    case bytewise(percent: Double)
    /// So many of 100 subscribers read at most so many bytes a second.
    case throttled(percent: Double, bytesPerSecond: Int)
    /// The server's process is stopped some time after the start, and goes on some time later.
    case pause(after: Duration, for: Duration)

    /// What is wrong with a fault, for a person.
    public struct Problem: Error, Sendable, Equatable {
        /// One line.
        public let message: String
    }

    /// The forms in which faults are written.
    public static let forms = "reset=5, half-open=20, bytewise=10%, throttle=10%@2k, or pause=3s+1s"

    /// Reads `reset=RATE`, `half-open=N`, `bytewise=P%`, `throttle=P%@BYTES` or `pause=AFTER+LENGTH`.
    ///
    /// - Parameters:
    ///   - text: The fault.
    ///   - duration: Reads a length of time such as `3s`.
    /// - Throws: A ``Problem`` where it is none of them.
    public init(_ text: String, duration: (String) -> Duration?) throws(Problem) {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2, let fault = Fault.read(parts[0], parts[1], duration) else {
            throw Problem(message: "\"\(text)\" is no fault; write \(Fault.forms)")
        }
        self = fault
    }

    private static func read(_ name: String, _ value: String, _ duration: (String) -> Duration?) -> Fault? {
        switch name {
        case "reset": return number(value, in: 0.01...10_000).map(Fault.resets)
        case "half-open": return number(value, in: 1...100_000).map { .halfOpen(connections: Int($0)) }
        case "bytewise": return percent(value).map(Fault.bytewise)
        case "throttle":
            let parts = value.split(separator: "@").map(String.init)
            guard parts.count == 2, let percent = percent(parts[0]), let rate = number(parts[1], in: 100...1e9) else {
                return nil
            }
            return .throttled(percent: percent, bytesPerSecond: Int(rate))
        case "pause":
            let parts = value.split(separator: "+").map(String.init)
            guard parts.count == 2, let after = duration(parts[0]), let length = duration(parts[1]),
                after <= .seconds(86_400), length > .zero, length <= .seconds(60)
            else { return nil }
            return .pause(after: after, for: length)
        default: return nil
        }
    }

    private static func percent(_ text: String) -> Double? {
        text.last == "%" ? number(String(text.dropLast()), in: 0.01...100) : nil
    }

    private static func number(_ text: String, in range: ClosedRange<Double>) -> Double? {
        let digits = text.last == "k" ? text.dropLast() : text[...]
        guard !digits.isEmpty, digits.utf8.count <= 12, digits.allSatisfy({ ("0"..."9").contains($0) || $0 == "." }),
            let number = Double(digits).map({ text.last == "k" ? $0 * 1000 : $0 }), range.contains(number)
        else { return nil }
        return number
    }

    /// How many connections it needs beside those of the scenario.
    var extraConnections: Int {
        if case .halfOpen(let connections) = self { connections } else { 0 }
    }

    /// A few words that say what it does.
    var summary: String {
        switch self {
        case .resets(let rate): "\(Format.short(rate)) resets a second"
        case .halfOpen(let count): counted(count, "half-open connection")
        case .bytewise(let percent): "\(Format.short(percent)) % shake hands byte by byte"
        case .throttled(let percent, let rate): "\(Format.short(percent)) % read \(rate) bytes a second"
        case .pause(let after, let length):
            "the server is stopped after \(Format.short(after / .seconds(1))) s for "
                + "\(Format.short(length / .seconds(1))) s"
        }
    }
}
