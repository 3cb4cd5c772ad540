import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

import type { WeakenedGuard } from './guards.ts'

/**
 * Creates a function that tells whether a changed source still compiles. A change that does not compile needs no test:
 * for example, the removal of a condition that narrows a type.
 */
export function createTypeCheck(root: string): (weakened: WeakenedGuard) => boolean {
  const sources = globSync('packages/*/src/**/*.ts', { cwd: root }).map((file) => join(root, file))
  const options = compilerOptions(root)
  const changed = new Map<string, { readonly text: string; readonly version: number }>()
  let version = 0
  const service = ts.createLanguageService({
    fileExists: (path) => ts.sys.fileExists(path),
    readFile: (path) => ts.sys.readFile(path),
    directoryExists: (path) => ts.sys.directoryExists(path),
    getDirectories: (path) => ts.sys.getDirectories(path),
    realpath: (path) => ts.sys.realpath?.(path) ?? path,
    getScriptFileNames: () => sources,
    getScriptVersion: (file) => String(changed.get(file)?.version ?? 0),
    getScriptSnapshot: (file) => {
      const text = changed.get(file)?.text ?? ts.sys.readFile(file)
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
    },
    getCurrentDirectory: () => root,
    getCompilationSettings: () => options,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
  })

  return ({ guard, change }) => {
    const file = join(root, guard.file)
    const text = readFileSync(file, 'utf8')
    version += 1
    changed.set(file, { text: text.slice(0, change.start) + change.typed + text.slice(change.end), version })
    const errors = service.getSemanticDiagnostics(file).filter(({ code }) => !unusedCodes.has(code))
    version += 1
    changed.set(file, { text, version })
    return errors.length === 0
  }
}

/** Errors about code that a change made unused or unreachable. */
const unusedCodes: ReadonlySet<number> = new Set([6133, 6192, 6196, 6198, 7027])

function compilerOptions(root: string): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.base.json'), (path) => ts.sys.readFile(path)) as {
    readonly config: { readonly compilerOptions: object }
  }
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root)
  return { ...options, noEmit: true, composite: false, emitDeclarationOnly: false, types: ['node'] }
}
