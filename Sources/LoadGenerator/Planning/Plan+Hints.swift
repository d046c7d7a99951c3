extension Plan {
    /// What a person may do about connections that fail for a reason; empty, or words to be put behind it.
    func hint(behind reason: String) -> String {
        guard scenario != .raw, reason.contains("refused with 401") || reason.contains("refused with 403") else {
            return ""
        }
        return switch identity {
        case .users: ": the broker is not in --dev and wants a token: say --token T (or FANFARE_TOKEN)"
        case .token: ": the broker does not accept the token"
        }
    }
}
