@testable import Broker

/// Keys made for these tests alone, by `openssl genpkey`.
enum TestKeys {
    static let rsa = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDIV+MkCTLwtUD7
        LrG4vUTYxbHsJRCcMWeYqsDcmi5RPv9D19oCaUjU4R+K53JxJfH2FS/s9pVwkPrB
        G1v5s+iZt4CFlVx6Fdfq4/2P0qenyMgq1jXknSWcT6KJpgejMUi6PnsYAdKSuG8U
        dQk9kr/6nKayvkzzV78yQaTb63LE/ojrgFkLlgS+6sFHQos2Qa+ZZ5pG1vFVZc2h
        hcM4vZyatn8isZl7h3qbmSas3Ha2VI9wnioOnmE8huobJSclQEE1/eN0/LXj1htQ
        ghik70cDrhy4AJhs1dYy7S/5A6gfT/c2jG8adyi1iSkd1fC01/T7zICxhBHckldr
        Py7io/jNAgMBAAECggEAAmAQYFf/k50ChTfbgY4058EIR/10gfWP/d5gZP0q+Wme
        yyYe/pJS+7sjjZkK4U6K3NkJdWzC/s+pOWrin0ZDxrbHPk40B3qE0dMcKX1c4X9e
        6Csb/nbigETtb2ZZhtTJwPOGsBUtcvHe10Y/8svvnMAItevNq8DpkmX212imNrGs
        eVjqLn+Tpz+zYTNTCawvTYoNfWSx6WKWyZBDiEhnyu58TRFfqYF1bTX3Za0qSvxE
        R5dBLxy598TCC99jbl6lkMfhGfmdXaQvafVxzR4Cstmwx5ktCb3pMFy9SRoArX8u
        X6Lk5Tf9eEFcsn0T5nqi4nJCCzPgCrXNnjSl5KyDgQKBgQDz/WLWsvQ2cJcJVcmO
        454tbDptaoVrxiTG+O9n9Yq4VldXUJVaiU3b6KtY7jv3m3+i13lSEwlPfJxJWbyx
        HWRcyzjyHzKiWWF3LwB9GT3dyzv5BDJ9dd19BlUAR/Bm7PNufdYX0VJ9usBJq77a
        oRFEz/hnudWLf1Kq4CeunI+TrQKBgQDSNH6He05mQAsHDJY67G3QBdojfQpBVRoX
        aU/RXOsKtEz1OqkE/7GR9VpUSXqeBoyutFBogA9G9gpReXCZCNJb3+o2PikueSQ7
        T63WAbTEM2Aj78ifxOg6HSIFklbehRsDBBK/XJ6s4CceGDfnxIamltwsQS5HklhG
        u8QcqsOdoQKBgHa7U6HPK/BiEd3FFXSnZ44LINOmBo9PuQ3qjfY1EvBpc89Vs5h/
        QJhHPTrlk+EGlrIT0UITaXB430UCmkRGXVSawHdynx1KCZgKE17NLcIE6IZheIB9
        Hu98aVjdqSstG7klG04z2sS8YF55aULTJqgp3GP9luFvcDcfJbBfF69xAoGATXc7
        CgLPKa+AYOCqnJx0+6ysb1etZ9ZM/0O4PpfXpuI7WkR79XOlpPyehWFu5r3TKq8Y
        0uoetzAFLXFrpXoyy9kBH2xZEN9kEteSYMPQMl4cmCHN9dNDIeeKmjMMAIVdJwdh
        QVSIxXz17YlPUQKD/PCrw0NiIs4z6h1YcJgd7wECgYEA0tmp0kWMQnxwVANLLLUS
        QDfgI47oZtkVpkbkMpz9vp2DCX2UdgpFXw6ihZ4vMccQfONCcTDcNrQQFQO5vxoG
        mBURTVLybA2rtf3i+l6welvk9C2fHSgHAbNv+bhCcBtR8SxypRvQW2q1SEO2ZpLU
        bCmM/ZcTI4kNNNLFIRnENUU=
        -----END PRIVATE KEY-----
        """
    static let p256 = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgB4jbi6N3uE5gLMto
        PIgO3YB+ZJaHxqwhTUF348qbhZChRANCAAT4b0KCNXCgZ5scD96EeyTBg/hFObth
        CrEyHRkS0yw2qJ58vD63x1CbpdTptSJzZj7Kt+bcPCVB7zen6w6VCOV0
        -----END PRIVATE KEY-----
        """
    static let ed25519 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIAoY6N5B3mAlJUwhbAsF4ZU3F5vlEvClN3aJNNnWbAdB
        -----END PRIVATE KEY-----
        """

    /// A key for each algorithm that has two halves, by its algorithm.
    static let pems: [TokenAlgorithm: String] = [.rs256: rsa, .es256: p256, .edDSA: ed25519]

    static func signer(_ algorithm: TokenAlgorithm) throws -> TokenSigner {
        try TokenSigner(pem: Array((pems[algorithm] ?? "").utf8))
    }

    /// The key set that a list of keys makes, each as it is printed.
    static func set(_ keys: [String]) -> [UInt8] { Array("{\"keys\": [\(keys.joined(separator: ",\n"))]}".utf8) }

    /// The public half of a key as one member of a set.
    static func publicKey(_ algorithm: TokenAlgorithm, id: String?) throws -> String {
        let set = try signer(algorithm).keySet(id: id) ?? ""
        return String(set.split(separator: "[")[1].split(separator: "]")[0])
    }
}
