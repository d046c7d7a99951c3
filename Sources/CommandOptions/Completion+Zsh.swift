// zsh's own `_arguments` does the work: a specification for each option and operand.
extension Program {
    var zshCompletion: String {
        let function = "_" + name
        let first = commands.map { "        \(quoted("\(escaped($0.word)):\($0.summary)"))" }.joined(separator: "\n")
        let arms = commands.map { command in
            "            \(command.word))\n                \(arguments(of: command, indent: 20))\n                ;;"
        }.joined(separator: "\n")
        return """
            #compdef \(name)
            # Completes the words of \(name) in zsh; made by '\(name) completion zsh'.
            \(function)() {
                local context state state_descr line
                typeset -A opt_args
                local -a commands=(
            \(first)
                )
                if ((CURRENT > 2)); then
                    local command=$words[2]
                    case $command in
            \(commands.map(\.word).joined(separator: "|")))
                        words=("$words[1] $command" "${(@)words[3,-1]}")
                        ((CURRENT -= 1))
                        case $command in
            \(arms)
                        esac
                        return
                        ;;
                    esac
                fi
                \(rest)
            }
            if [[ $funcstack[1] == \(function) ]]; then
                \(function) "$@"
            else
                compdef \(function) \(name)
            fi

            """
    }

    /// What stands first, where it is no command.
    private var rest: String {
        guard let root else {
            let words = firstWords.map { quoted($0) }.joined(separator: " ")
            return """
                if ((CURRENT == 2)); then
                        _describe command commands
                        compadd -- \(words)
                    elif [[ $words[2] == help ]]; then
                        _describe command commands
                    fi
                """
        }
        return """
            ((CURRENT == 2)) && _describe command commands
                \(arguments(of: root, indent: 8))
            """
    }

    private func arguments(of syntax: CommandSyntax, indent: Int) -> String {
        let break_ = " \\\n" + String(repeating: " ", count: indent)
        let options = syntax.allOptions.map(specification(of:))
        let operands = syntax.operands.enumerated().map { index, operand in
            let place = operand.isRepeated ? "*" : "\(index + 1)"
            let optional = operand.isRequired || operand.isRepeated ? "" : ":"
            return quoted("\(place):\(optional)\(escaped(operand.name)):\(operand.takes.zshAction)")
        }
        return (["_arguments -S"] + options + operands).joined(separator: break_)
    }

    private func specification(of option: CommandSyntax.Option) -> String {
        let again = option.arity == .repeated ? "*" : ""
        let about = "[" + escaped(option.brief) + "]"
        guard option.arity != .flag else { return quoted("--\(option.name)\(about)") }
        return quoted("\(again)--\(option.name)=\(about):\(escaped(option.placeholder)):\(option.takes.zshAction)")
    }

    /// A text in which nothing ends a part of a specification.
    private func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            if "[]:\\".contains(character) { escaped += "\\" }
            escaped.append(character)
        }
        return escaped
    }

    private func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: "'\\''") + "'"
    }
}

extension CommandSyntax.ValueKind {
    /// What completes it.
    fileprivate var zshAction: String {
        switch self {
        case .text: " "
        case .file: "_files"
        case .folder: "_files -/"
        case .choice(let words): "(\(words.joined(separator: " ")))"
        }
    }
}
