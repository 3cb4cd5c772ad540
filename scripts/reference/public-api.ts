import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'

import ts from 'typescript'

/** An import path of a package. */
export interface EntryPoint {
  /** The import path, such as `@mintmark/core/http`. */
  readonly name: string
  /** The path of the file from the root of the repository. */
  readonly file: string
  /** The exported symbols, ordered by name. Aliases are resolved to the declared symbol. */
  readonly exports: readonly ts.Symbol[]
}

/** The sources of the packages and their types. */
export interface PublicApi {
  readonly checker: ts.TypeChecker
  readonly entryPoints: readonly EntryPoint[]
  /** All source files of the packages that the entry points need. */
  readonly sources: readonly ts.SourceFile[]
  /** Returns a source file. @throws Error if no package contains it. */
  readonly source: (file: string) => ts.SourceFile
}

/** Reads all packages from their entry points. Takes about two seconds. */
export function readPublicApi(): PublicApi {
  const entries = entryFiles()
  const commands = globSync('packages/*/src/main.ts')
  return publicApiOf(ts.createProgram([...entries.map(({ file }) => file), ...commands], compilerOptions()), entries)
}

/** Returns the public API of a program with these entry points. */
export function publicApiOf(program: ts.Program, entries: readonly Omit<EntryPoint, 'exports'>[]): PublicApi {
  const checker = program.getTypeChecker()
  const source = (file: string): ts.SourceFile => {
    const found = program.getSourceFile(file)
    if (found === undefined) throw new Error(`${file} is not a source file of a package.`)
    return found
  }
  return {
    checker,
    sources: program.getSourceFiles().filter(({ fileName }) => /(?:^|\/)packages\/[^/]+\/src\//.test(fileName)),
    source,
    entryPoints: entries.map(({ name, file }) => ({ name, file, exports: exportsOf(source(file), checker) })),
  }
}

/** Returns the files that packages export to users. `publishConfig.exports` lists their subpaths. */
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
    .toSorted((left, right) => left.name.localeCompare(right.name))
}
