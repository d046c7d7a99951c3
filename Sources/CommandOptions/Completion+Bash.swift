extension Program {
    /// The script that has a shell complete the program's words.
    public func completion(for shell: Shell) -> String {
        switch shell {
        case .bash: bashCompletion
        case .zsh: zshCompletion
        case .fish: fishCompletion
        }
    }

    /// What can stand first, besides the commands.
    var firstWords: [String] {
        root == nil ? ["help"] : []
    }
}

// Bash calls a function with the words so far and takes what it leaves in COMPREPLY. A `=` is a word of its own.
extension Program {
    private var function: String { "_" + name.replacing("-", with: "_") }

    private var bashCompletion: String {
        """
        # Completes the words of \(name) in bash; made by '\(name) completion bash'.
        \(function)() {
            local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command= place=0 index=1
            local options='\(root == nil ? "--help --version" : "")' values= kind=
            if [[ $current == = ]]; then
                current=
            elif [[ $before == = ]]; then
                before=${COMP_WORDS[COMP_CWORD - 2]}
            fi
            COMPREPLY=()
            case ${COMP_WORDS[1]} in
        \(bashCommands)
            esac
            # How many operands stand before this word.
            while ((index < COMP_CWORD)); do
                case ${COMP_WORDS[index]} in
                =) ((index += 1)) ;;
                --*) [[ " $values " != *" ${COMP_WORDS[index]} "* || ${COMP_WORDS[index + 1]} == = ]] || ((index += 1)) ;;
                *) ((place += 1)) ;;
                esac
                ((index += 1))
            done
            if [[ $current == -* && $before != = ]]; then
                mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
                return
            fi
            case $command:$before in
        \(bashValues)
            *)
                [[ " $values " == *" $before "* ]] && return
                case $command:$place in
        \(bashOperands)
                esac
                ;;
            esac
            case $kind in
            @file)
                compopt -o filenames 2>/dev/null
                mapfile -t COMPREPLY < <(compgen -f -- "$current")
                ;;
            @folder)
                compopt -o filenames 2>/dev/null
                mapfile -t COMPREPLY < <(compgen -d -- "$current")
                ;;
            ?*) mapfile -t COMPREPLY < <(compgen -W "$kind" -- "$current") ;;
            esac
        }
        complete -F \(function) \(name)

        """
    }

    /// Which options each command has, as arms of a `case`; the index is moved behind the command's name.
    private var bashCommands: String {
        var arms = commands.map { command in
            "    \(command.word)) ((COMP_CWORD > 1)) && command=\(command.word) index=2 \(words(of: command)) ;;"
        }
        if let root { arms.append("    *) \(words(of: root)) ;;") }
        // A command's name counts only behind the cursor's word.
        return arms.joined(separator: "\n")
    }

    private func words(of syntax: CommandSyntax) -> String {
        let options = syntax.allOptions.map { "--" + $0.name }.joined(separator: " ")
        let values = syntax.options.filter { $0.arity != .flag }.map { "--" + $0.name }.joined(separator: " ")
        return "options='\(options)' values='\(values)'"
    }

    /// What the value of each option is, as arms of a `case` over `COMMAND:--OPTION`.
    private var bashValues: String {
        var arms: [String] = []
        for (word, syntax) in syntaxes {
            for option in syntax.options {
                guard option.arity != .flag, let kind = option.takes.bashKind else { continue }
                arms.append("    \(word):--\(option.name)) kind='\(kind)' ;;")
            }
        }
        return arms.joined(separator: "\n")
    }

    /// What each operand is, as arms of a `case` over `COMMAND:PLACE`.
    private var bashOperands: String {
        var first = firstWords + commands.map(\.word)
        if case .choice(let words)? = root?.operands.first?.takes { first += words }
        var arms = ["        :0) kind='\(first.joined(separator: " "))' ;;"]
        if root == nil { arms.append("        :1) [[ ${COMP_WORDS[1]} == help ]] && kind='\(helpTopics)' ;;") }
        for (word, syntax) in syntaxes {
            for (index, operand) in syntax.operands.enumerated() where !(word.isEmpty && index == 0) {
                guard let kind = operand.takes.bashKind else { continue }
                let place = operand.isRepeated ? "*" : "\(index)"
                arms.append("        \(word):\(place)) kind='\(kind)' ;;")
            }
        }
        return arms.joined(separator: "\n")
    }

    private var helpTopics: String { commands.map(\.word).joined(separator: " ") }

    /// The commands by their words; the empty word stands for the program without one.
    private var syntaxes: [(String, CommandSyntax)] {
        commands.map { ($0.word, $0) } + (root.map { [("", $0)] } ?? [])
    }
}

extension CommandSyntax.ValueKind {
    /// How the script below names it; `nil`: nothing can be completed.
    fileprivate var bashKind: String? {
        switch self {
        case .text: nil
        case .file: "@file"
        case .folder: "@folder"
        case .choice(let words): words.joined(separator: " ")
        }
    }
}
