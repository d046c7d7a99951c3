/// What one command understands: its operands, its options, and the words that explain them.
///
/// A value: declare it once, ``parse(_:environment:)`` the words that follow the command's name, read the outcome as
/// ``CommandWords``. `--help` and `-h` are always understood; `--version` where ``version`` is set.
public struct CommandSyntax: Sendable {
    /// The command as it is typed, `fanfare serve`.
    public var name: String
    /// One sentence that says what the command does.
    public var summary: String
    /// What stands without a name, in order.
    ///
    /// Only the last may be repeated; those that may be left out come last.
    public var operands: [Operand]
    /// What stands with a name, in the order of the help text.
    public var options: [Option]
    /// Whole command lines that do something useful, each with its reason.
    public var examples: [Example]
    /// What its exit codes mean; empty where they are those of any command.
    public var exits: [Exit]
    /// What `--version` prints; without it the option is unknown.
    public var version: String?

    /// Declares a command.
    public init(
        name: String, summary: String, operands: [Operand] = [], options: [Option] = [], examples: [Example] = [],
        exits: [Exit] = [], version: String? = nil
    ) {
        self.name = name
        self.summary = summary
        self.operands = operands
        self.options = options
        self.examples = examples
        self.exits = exits
        self.version = version
    }

    /// The environment variables that stand for options.
    public var environmentNames: [String] {
        options.filter(\.readsEnvironment).map(\.environmentName)
    }
}

extension CommandSyntax {
    /// One option, written `--name`, `--name VALUE` or `--name=VALUE`.
    public struct Option: Sendable {
        /// Whether a value follows, and how often the option may stand.
        enum Arity: Sendable, Equatable {
            case flag
            case once
            case repeated
        }

        let name: String
        let arity: Arity
        let placeholder: String
        let help: String
        let defaultText: String?
        let readsEnvironment: Bool
        let takes: ValueKind

        /// An option without a value.
        ///
        /// - Parameters:
        ///   - name: The long name, without dashes.
        ///   - help: One line for the help text.
        ///   - environment: Whether `FANFARE_NAME` set to `1`, `true`, `yes` or `on` sets it as well.
        /// - Returns: The declaration.
        public static func flag(_ name: String, _ help: String, environment: Bool = false) -> Option {
            Option(
                name: name, arity: .flag, placeholder: "", help: help, defaultText: nil, readsEnvironment: environment,
                takes: .text)
        }

        /// An option with one value, which may stand once.
        ///
        /// - Parameters:
        ///   - name: The long name, without dashes.
        ///   - placeholder: What stands for the value in the help text, in capitals.
        ///   - help: One line for the help text.
        ///   - default: The value where nobody gives one, as it would be typed.
        ///   - environment: Whether `FANFARE_NAME` gives the value where the words do not.
        ///   - takes: What the value is, for shells that complete it; what the placeholder says where it is left out.
        /// - Returns: The declaration.
        public static func value(
            _ name: String, _ placeholder: String, _ help: String, default: String? = nil, environment: Bool = false,
            takes: ValueKind? = nil
        ) -> Option {
            Option(
                name: name, arity: .once, placeholder: placeholder, help: help, defaultText: `default`,
                readsEnvironment: environment, takes: takes ?? ValueKind(placeholder: placeholder))
        }

        /// An option with a value, which may stand any number of times.
        ///
        /// - Parameters:
        ///   - name: The long name, without dashes.
        ///   - placeholder: What stands for the value in the help text, in capitals.
        ///   - help: One line for the help text.
        ///   - default: The one value where nobody gives any, as it would be typed.
        ///   - environment: Whether `FANFARE_NAME`, split at its commas, gives the values where the words do not.
        /// - Returns: The declaration.
        public static func repeated(
            _ name: String, _ placeholder: String, _ help: String, default: String? = nil, environment: Bool = false
        ) -> Option {
            Option(
                name: name, arity: .repeated, placeholder: placeholder, help: help, defaultText: `default`,
                readsEnvironment: environment, takes: ValueKind(placeholder: placeholder))
        }

        /// The environment's name for this option: `FANFARE_`, then the name in capitals with `_` for `-`.
        var environmentName: String {
            "FANFARE_" + String(name.uppercased().map { $0 == "-" ? "_" : $0 })
        }
    }

    /// What a value is, as far as a shell can complete it.
    public enum ValueKind: Sendable, Equatable {
        /// Anything.
        case text
        /// The path of a file.
        case file
        /// The path of a folder.
        case folder
        /// One of these words.
        case choice([String])

        /// Reads it off what stands for the value in the help text.
        init(placeholder: String) {
            switch placeholder {
            case "FILE": self = .file
            case "DIR": self = .folder
            default: self = .text
            }
        }
    }

    /// One operand: a word known by its place.
    public struct Operand: Sendable {
        let name: String
        let help: String
        let isRequired: Bool
        let isRepeated: Bool
        let takes: ValueKind

        /// Declares an operand.
        ///
        /// - Parameters:
        ///   - name: What stands for it in the help text, in capitals; ``CommandWords`` knows it by this name.
        ///   - help: One line for the help text.
        ///   - isRequired: Whether the command cannot do without.
        ///   - isRepeated: Whether it takes all the words that are left.
        ///   - takes: What the word is, for shells that complete it; what the name says where it is left out.
        public init(
            _ name: String, _ help: String, isRequired: Bool = true, isRepeated: Bool = false, takes: ValueKind? = nil
        ) {
            self.name = name
            self.help = help
            self.isRequired = isRequired
            self.isRepeated = isRepeated
            self.takes = takes ?? ValueKind(placeholder: name)
        }
    }

    /// An exit code, with what it means.
    public struct Exit: Sendable {
        let code: String
        let meaning: String

        /// Makes one.
        ///
        /// - Parameters:
        ///   - code: The code.
        ///   - meaning: When a command ends with it, as a sentence.
        public init(_ code: Int, _ meaning: String) {
            self.code = "\(code)"
            self.meaning = meaning
        }
    }

    /// A whole command line, with what it is good for.
    public struct Example: Sendable {
        let line: String
        let purpose: String

        /// Makes an example.
        ///
        /// - Parameters:
        ///   - line: The command line, as it is typed.
        ///   - purpose: What it does, in a few words.
        public init(_ line: String, _ purpose: String) {
            self.line = line
            self.purpose = purpose
        }
    }
}
