extension Report {
    /// The time line as comma-separated values (RFC 4180), a row a second under a line of names.
    ///
    /// The counts of all rows add up to those of the report. The last row says so where the run ended before its time.
    public var csv: String {
        var lines = [
            "seconds,connected,opened_per_second,published_per_second,delivered_per_second,p50_ms,p99_ms,errors,"
                + "server_cpu_percent,server_rss_bytes,server_queue_bytes,closed,"
                + "length_seconds,opened,published,acked,delivered,note"
        ]
        for (index, row) in rows.enumerated() {
            func optional(_ value: Double?) -> String { value.map { Format.decimal($0, places: 3) } ?? "" }
            let codes = row.closeCodes.sorted { $0.key < $1.key }.map { "\($0.key)x\($0.value)" }
            let cells: [String] = [
                Format.decimal(row.seconds, places: 1), "\(row.connected)",
                Format.decimal(row.rate(row.opened), places: 0), Format.decimal(row.rate(row.published), places: 0),
                Format.decimal(row.rate(row.delivered), places: 0), optional(row.median), optional(row.p99),
                "\(row.errors)", row.serverCPU.map { Format.decimal($0, places: 1) } ?? "",
                row.serverMemory.map { "\($0)" } ?? "", row.queueBytes.map { "\($0)" } ?? "",
                codes.joined(separator: " "), Format.decimal(row.lengthSeconds, places: 3), "\(row.opened)",
                "\(row.published)", "\(row.acked)", "\(row.delivered)",
                isInterrupted && index == rows.count - 1 ? "interrupted" : "",
            ]
            lines.append(cells.joined(separator: ","))
        }
        return lines.joined(separator: "\r\n") + "\r\n"
    }

    /// The verdicts as a JUnit file, which CI systems show: one test case for the run, one for each threshold.
    public var junit: String {
        let broken = brokenThresholds
        let own = failures.filter { !$0.hasPrefix("threshold ") }
        var cases = [
            Report.testCase("nothing was lost and nothing went wrong", own.isEmpty ? nil : own.joined(separator: "; "))
        ]
        for threshold in plan.thresholds {
            let verdict = failures.first { $0.hasPrefix("threshold \(threshold.text) broke") }
            cases.append(
                Report.testCase("not \(threshold.text)", broken.contains(threshold) ? verdict ?? "broke" : nil))
        }
        if !isValid {
            cases.append(
                "  <testcase classname=\"fanfare-load\" name=\"the generator was not the limit\"><skipped message=\""
                    + Report.escaped(doubts.joined(separator: "; ")) + "\"/></testcase>")
        }
        if isInterrupted {
            cases.append(
                "  <testcase classname=\"fanfare-load\" name=\"the run went on to its end\"><error message=\""
                    + "interrupted: what was measured until then\"/></testcase>")
        }
        let failed = cases.count { $0.contains("<failure") }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuite name="fanfare-load \(plan.scenario.rawValue)" tests="\(cases.count)" failures="\(failed)" \
            errors="\(isInterrupted ? 1 : 0)" skipped="\(isValid ? 0 : 1)" time="\(Format.decimal(plan.duration / .seconds(1), places: 1))">
            \(cases.joined(separator: "\n"))
            </testsuite>

            """
    }

    private static func testCase(_ name: String, _ failure: String?) -> String {
        let head = "  <testcase classname=\"fanfare-load\" name=\"\(escaped(name))\""
        guard let failure else { return head + "/>" }
        return head + "><failure message=\"\(escaped(failure))\"/></testcase>"
    }

    /// A text as it stands in XML and HTML.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case _ where scalar.value < 0x20 && scalar != "\n": escaped += " "
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
