// The declarations of the kit with Debian's TypeScript: kit_types.ts and kit_types_components.ts have to compile.
"use strict"
const path = require("node:path")
const ts = require("typescript")

const uses = ["kit_types.ts", "kit_types_components.ts"].map((name) => path.join(__dirname, name))
const program = ts.createProgram(uses, {
    noEmit: true, strict: true, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ES2022,
    moduleResolution: ts.ModuleResolutionKind.NodeJs, lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"], types: [],
})
const found = ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    const line = file ? `${path.basename(file.fileName)}:${file.getLineAndCharacterOfPosition(start).line + 1}: ` : ""
    return line + ts.flattenDiagnosticMessageText(messageText, " ")
})
console.log(found.length ? `not ok the declarations: ${found.join("; ")}` : "ok the declarations are right")
console.log("1..1")
process.exitCode = found.length ? 1 : 0
