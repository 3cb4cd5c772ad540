import { readdir, readFile } from 'node:fs/promises'
import { posix } from 'node:path'

interface SourceImport {
  readonly specifier: string
  /** The path of the imported file from the repository root; undefined if the specifier names a package. */
  readonly target: string | undefined
  readonly typeOnly: boolean
}

export interface SourceFile {
  readonly path: string
  readonly packageName: string
  readonly isTest: boolean
  readonly text: string
  readonly imports: readonly SourceImport[]
}

/** Reads every TypeScript file below `<folder>/<package>/src`, with its import lines. */
export async function readSourceFiles(folder: string): Promise<readonly SourceFile[]> {
  const packages = await readdir(folder)
  const perPackage = await Promise.all(packages.map((packageName) => readPackage(folder, packageName)))
  return perPackage.flat()
}

/** Finds every import cycle, written as `a.ts → b.ts → a.ts`. */
export function findCycles(files: readonly SourceFile[]): readonly string[] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const finished = new Set<string>()
  const cycles: string[] = []

  const visit = (path: string, trail: readonly string[]): void => {
    const seenAt = trail.indexOf(path)
    if (seenAt >= 0) cycles.push([...trail.slice(seenAt), path].join(' → '))
    if (seenAt >= 0 || finished.has(path)) return
    for (const { target } of byPath.get(path)?.imports ?? []) {
      if (target !== undefined) visit(target, [...trail, path])
    }
    finished.add(path)
  }

  for (const path of byPath.keys()) visit(path, [])
  return cycles
}

async function readPackage(folder: string, packageName: string): Promise<SourceFile[]> {
  const root = `${folder}/${packageName}/src`
  // A package without sources yet has no such folder.
  const entries = await readdir(root, { recursive: true }).catch(() => [])
  const paths = entries
    .map((entry) => posix.join(root, entry.replaceAll('\\', '/')))
    .filter((path) => path.endsWith('.ts'))
  return Promise.all(paths.map((path) => readSourceFile(path, packageName)))
}

async function readSourceFile(path: string, packageName: string): Promise<SourceFile> {
  const text = await readFile(path, 'utf8')
  return { path, packageName, isTest: path.endsWith('.test.ts'), text, imports: parseImports(text, path) }
}

function parseImports(text: string, path: string): SourceImport[] {
  return [...text.matchAll(importLine)].map((match) => {
    const specifier = match.groups?.['from'] ?? match.groups?.['bare'] ?? match.groups?.['call'] ?? ''
    const target = specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : undefined
    return { specifier, target, typeOnly: match.groups?.['type'] !== undefined }
  })
}

/** `import … from`, `export … from`, `import 'x'` at the start of a line, and `import('x')` anywhere. */
const importLine =
  /^(?:import|export)\s+(?<type>type\s)?(?:[\w*{][^'";]*?\s)?from\s+['"](?<from>[^'"]+)['"]|^import\s+['"](?<bare>[^'"]+)['"]|\bimport\(\s*['"](?<call>[^'"]+)['"]/gm
