// What a token says. It keeps nothing, so each file that the broker serves may have its own.

/** What a JWT says, unproven. */
export function claimsOf(token) {
    try {
        const [, claims] = token.split(".")
        const bytes = Uint8Array.from(atob(claims.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0))
        return JSON.parse(new TextDecoder().decode(bytes))
    } catch {
        return {}
    }
}
