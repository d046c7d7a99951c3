// swift-tools-version: 6.2

import PackageDescription

// One list for every Swift target, so that the house has one set of rules.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461: async helpers stay on the caller's loop
    .strictMemorySafety(),  // SE-0458
    .treatAllWarnings(as: .error),  // SE-0480
]

/// Where only `FanfareClient` and what it imports are built.
let applePlatforms: [Platform] = [.macOS, .iOS, .tvOS, .watchOS, .visionOS]

/// A Swift target with the house's settings, and more.
func room(
    _ name: String, imports: [Target.Dependency] = [], exclude: [String] = [], resources: [Resource]? = nil,
    settings more: [SwiftSetting] = []
) -> Target {
    .target(name: name, dependencies: imports, exclude: exclude, resources: resources, swiftSettings: settings + more)
}

// That no two accesses to a property overlap is checked at run time in debug builds, which all tests are. In a broker at
// work these checks would be a tenth of what it does.
let uncheckedAtWork: [SwiftSetting] = [
    .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))
]

/// The tests of a target; they lie beside it, in `Tests/<name>Tests`.
func tests(of name: String, imports: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: name + "Tests", dependencies: [.init(stringLiteral: name), "TestSupport"] + imports,
        swiftSettings: settings)
}

/// The browser kit as it is served, which scripts/kit makes of the modules in Sources/Web/kit.
let browserKit = [
    "fanfare.js", "components.js", "overview.js", "emoji-search.js", "fallback.js", "fanfare.d.ts", "components.d.ts",
    "overview.d.ts",
]

/// The files of the dashboard.
let dashboard = [
    "dashboard.html", "dashboard.css", "dashboard.js", "dashboard-chart.js", "dashboard-figures.js",
    "dashboard-tail.js",
]

let package = Package(
    name: "fanfare",
    platforms: [.macOS(.v26), .iOS(.v26), .tvOS(.v26), .watchOS(.v26), .visionOS(.v26)],
    products: [
        .executable(name: "fanfare", targets: ["fanfare"]),
        .executable(name: "fanfare-load", targets: ["fanfare-load"]),
        .library(name: "FanfareClient", targets: ["FanfareClient"]),
    ],
    targets: [
        .target(name: "CLinux", cSettings: [.define("_GNU_SOURCE")]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CNATS", providers: [.apt(["libnats-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

        room("Locks"),
        room("Reactions"),
        room("WebSocket", imports: ["CZlib"]),
        room("HTTP", imports: ["CZlib"]),
        room("Wire", imports: ["Reactions"]),
        room("Transport", imports: ["CLinux", "COpenSSL", "Locks"]),
        room("Storage", imports: ["Reactions", "CSQLite", "CNATS", "Locks"]),
        room(
            "Broker", imports: ["COpenSSL", "Reactions", "WebSocket", "HTTP", "Wire", "Transport", "Storage"],
            settings: uncheckedAtWork),
        room(
            "Web", exclude: ["kit"],
            resources: ["index.html", "openapi.json", "asyncapi.json", "schemas.json"].map { .embedInCode($0) }
                + browserKit.map { .embedInCode("Generated/" + $0) }
                + dashboard.map { .embedInCode("dashboard/" + $0) }),
        room("Server", imports: ["Broker", "Web"]),
        // On Apple's platforms URLSession takes the place of the WebSocket layer and of the event loops, which are Linux's.
        .target(
            name: "FanfareClient",
            dependencies: [
                "Reactions", "Wire", "Locks", .target(name: "WebSocket", condition: .when(platforms: [.linux])),
                .target(name: "Transport", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: settings + [.define("FANFARE_URLSESSION", .when(platforms: applePlatforms))]),
        room("LoadGenerator", imports: ["Reactions", "Wire", "WebSocket", "Transport"]),
        room("CommandOptions"),
        .executableTarget(
            name: "fanfare",
            dependencies: [
                "Server", "Broker", "Storage", "FanfareClient", "CommandOptions", "Reactions", "HTTP", "Wire",
                "Transport",
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "fanfare-load", dependencies: ["LoadGenerator", "CommandOptions", "Wire"], swiftSettings: settings),

        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
        tests(of: "Reactions"),
        tests(of: "WebSocket"),
        tests(of: "HTTP"),
        tests(of: "Wire", imports: ["Reactions"]),
        tests(of: "Transport", imports: ["CLinux", "COpenSSL"]),
        tests(of: "Storage", imports: ["Reactions", "CSQLite", "Locks"]),
        tests(of: "Broker", imports: ["Reactions", "WebSocket", "HTTP", "Wire", "Transport", "Storage"]),
        tests(of: "Server", imports: ["Broker", "Reactions", "WebSocket", "HTTP", "Wire", "Transport", "Storage"]),
        tests(of: "FanfareClient", imports: ["Reactions", "Wire", "WebSocket", "Transport"]),
        tests(of: "LoadGenerator", imports: ["Reactions", "Transport"]),
        tests(of: "CommandOptions"),
        tests(
            of: "fanfare",
            imports: [
                "FanfareClient", "CommandOptions", "Reactions", "HTTP", "Wire", "Broker", "Server", "Storage",
                "Transport",
            ]),
        .executableTarget(
            name: "websocket-echo", dependencies: ["WebSocket", "HTTP", "Transport"],
            path: "Tests/Conformance/WebSocketEcho", swiftSettings: settings),
        // What scripts/fuzz gives any bytes, and the tests the bytes of the corpus.
        .target(
            name: "Fuzzing",
            dependencies: ["WebSocket", "HTTP", "Reactions", "Wire", "Transport", "Broker", "COpenSSL"],
            path: "Tests/Fuzzing", exclude: ["Corpus", "words.dict"], swiftSettings: settings),
        tests(of: "Fuzzing"),
        .executableTarget(
            name: "websocket-differential", dependencies: ["Fuzzing"],
            path: "Tests/Differential", exclude: ["streams.py"], swiftSettings: settings),
        .executableTarget(
            name: "ledger-benchmark", dependencies: ["Reactions"], path: "Tests/Benchmarks/Ledger",
            swiftSettings: settings),
        .executableTarget(
            name: "hot-paths", dependencies: ["Reactions", "WebSocket", "Wire"], path: "Tests/Benchmarks/HotPaths",
            swiftSettings: settings),
        .testTarget(
            name: "EndToEndTests", dependencies: ["Locks", "FanfareClient"], exclude: ["Browser", "Clients"],
            swiftSettings: settings),
    ]
)
