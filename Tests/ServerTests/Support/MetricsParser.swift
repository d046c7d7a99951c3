/// Reads Prometheus' text format 0.0.4, strictly: what is not of its form is an error.
struct MetricsParser {
    struct Malformed: Error {
        var line: Substring
    }

    struct Sample {
        var name: String
        var labels: [String: String] = [:]
        var value: Double

        /// What tells it from all others.
        var key: String {
            name + labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
        }
    }

    struct Family {
        var name: String
        var help: String
        var kind = ""
        var samples: [Sample] = []
    }

    private(set) var families: [Family] = []

    init(_ text: String) throws {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() { try take(line) }
    }

    private mutating func take(_ line: Substring) throws {
        if let help = line.wholeMatch(of: /# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) ([^\\]+)/) {
            families.append(Family(name: String(help.1), help: String(help.2)))
        } else if let type = line.wholeMatch(of: /# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram)/) {
            guard families.last?.name == String(type.1), families.last?.kind == "" else { throw Malformed(line: line) }
            families[families.count - 1].kind = String(type.2)
        } else {
            let sample = try sample(line)
            guard let family = families.last, names(of: family).contains(sample.name) else {
                throw Malformed(line: line)
            }
            families[families.count - 1].samples.append(sample)
        }
    }

    private func names(of family: Family) -> [String] {
        switch family.kind {
        case "counter", "gauge": [family.name]
        case "histogram": ["_bucket", "_sum", "_count"].map { family.name + $0 }
        default: []
        }
    }

    private func sample(_ line: Substring) throws -> Sample {
        guard
            let parts = line.wholeMatch(
                of: /([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="[^"\\]*",?)+)\})? ([0-9.e+\-]+|\+Inf)/),
            let value = Double(parts.3)
        else { throw Malformed(line: line) }
        var sample = Sample(name: String(parts.1), value: value)
        for label in parts.2?.matches(of: /([a-zA-Z_][a-zA-Z0-9_]*)="([^"\\]*)"/) ?? [] {
            sample.labels[String(label.1)] = String(label.2)
        }
        return sample
    }
}
