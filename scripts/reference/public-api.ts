import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'

import ts from 'typescript'

/** A path from which a package is imported. */
export interface EntryPoint {
  /** `@mintmark/core/http`. */
  readonly name: string
  /** The file, from the root of the repository. */
  readonly file: string
  /** What it exports, in the order of names; aliases are followed to where the thing is declared. */
  readonly exports: readonly ts.Symbol[]
}

/** The sources of the packages, with what is known about their types. */
export interface PublicApi {
  readonly checker: ts.TypeChecker
  readonly entryPoints: readonly EntryPoint[]
  /** @throws Error when there is no such file among the sources. */
  readonly source: (file: string) => ts.SourceFile
}

/** Reads every package from its entry points. It takes about two seconds. */
export function readPublicApi(): PublicApi {
  const entries = entryFiles()
  const commands = globSync('packages/*/src/main.ts')
  const program = ts.createProgram([...entries.map(({ file }) => file), ...commands], compilerOptions())
  const checker = program.getTypeChecker()
  const source = (file: string): ts.SourceFile => {
    const found = program.getSourceFile(file)
    if (found === undefined) throw new Error(`${file} is no source of a package.`)
    return found
  }
  return {
    checker,
    source,
    entryPoints: entries.map(({ name, file }) => ({ name, file, exports: exportsOf(source(file), checker) })),
  }
}

/** The files that packages export for users: `publishConfig.exports` lists their subpaths. */
export const entryFiles = (): readonly Omit<EntryPoint, 'exports'>[] =>
  globSync('packages/*/package.json')
    .toSorted()
    .flatMap((path) => {
      const { name, exports, private: isPrivate, publishConfig } = JSON.parse(readFileSync(path, 'utf8')) as Manifest
      if (isPrivate === true) return []
      return Object.entries(exports).flatMap(([subpath, target]) =>
        typeof target === 'string' || publishConfig?.exports[subpath] === undefined
          ? []
          : [{ name: posix.join(name, subpath), file: posix.join(posix.dirname(path), target['@mintmark/source']) }],
      )
    })

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly exports: Readonly<Record<string, string | { readonly '@mintmark/source': string }>>
  readonly publishConfig?: { readonly exports: Readonly<Record<string, unknown>> }
}

function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile('tsconfig.base.json', (path) => ts.sys.readFile(path)) as {
    readonly config: { readonly compilerOptions: object }
  }
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, '.')
  return { ...options, noEmit: true, composite: false, emitDeclarationOnly: false, types: ['node'] }
}

function exportsOf(source: ts.SourceFile, checker: ts.TypeChecker): readonly ts.Symbol[] {
  const module = checker.getSymbolAtLocation(source)
  return (module === undefined ? [] : checker.getExportsOfModule(module))
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
    .toSorted((one, other) => one.name.localeCompare(other.name))
}
