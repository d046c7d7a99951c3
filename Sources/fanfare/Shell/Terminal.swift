import Glibc

/// The terminal of standard output while it shows a live view: the other screen, no cursor, keys as they are typed.
///
/// What was there before comes back when it goes.
struct Terminal: ~Copyable {
    private let output: StandardOutput
    private let usesColors: Bool
    private var shown: (rows: [Row], width: Int, height: Int)?
    /// The settings of standard input before; `nil` where it is no terminal.
    private let before: termios?

    /// Takes over the terminal.
    ///
    /// - Parameters:
    ///   - output: Standard output.
    ///   - usesColors: Whether colours and other renditions may be used (`NO_COLOR` is not set).
    init(_ output: StandardOutput, usesColors: Bool) {
        self.output = output
        self.usesColors = usesColors
        var settings = termios()
        if isatty(STDIN_FILENO) == 1, unsafe tcgetattr(STDIN_FILENO, &settings) == 0 {
            before = settings
            // Keys come one by one, unechoed; Control-C is a key like others, so that nothing ends without cleaning up.
            settings.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
            _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        } else {
            before = nil
        }
        try? output.write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l")
    }

    deinit {
        try? output.write("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
        guard var before else { return }
        _ = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
    }

    /// Whether keys can be read.
    var hasKeys: Bool { before != nil }

    /// The columns and lines of the screen.
    var size: (width: Int, height: Int) {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Shows the rows of a picture for the screen's width and height; only those that changed are written.
    ///
    /// - Returns: `false` where the terminal is gone.
    mutating func show(_ picture: (Int, Int) -> [Row]) -> Bool {
        let (width, height) = size
        let rows = picture(width, height)
        var text = ""
        let isNew = shown?.width != width || shown?.height != height
        if isNew { text += "\u{1B}[2J" }
        for line in 0..<height {
            let row = line < rows.count ? rows[line] : Row()
            if !isNew, let known = shown?.rows, row == (line < known.count ? known[line] : Row()) { continue }
            text += "\u{1B}[\(line + 1);1H"
            row.append(to: &text, colors: usesColors)
        }
        shown = (rows, width, height)
        return text.isEmpty || (try? output.write(text)) != nil
    }

    /// Reads what keys were pressed; `nil` where there will be no more.
    func keys() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 64)
        // The pointer holds for the call, and the count is what lies behind it.
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(STDIN_FILENO, $0.baseAddress, $0.count) }
        if count < 0 { return errno == EINTR || errno == EAGAIN ? [] : nil }
        return count == 0 ? nil : Array(bytes.prefix(count))
    }
}
