import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'

/**
 * Returns the import paths that are bundled instead of published, each with its source file: `@mintmark/internal`, and
 * subpaths such as `@mintmark/storage-interface/stores`, which are in `exports` but not in `publishConfig.exports`.
 */
export const unpublishedImports = (): ReadonlyMap<string, string> =>
  new Map(
    globSync('packages/*/package.json').flatMap((path) => {
      const { name, exports, publishConfig } = JSON.parse(readFileSync(path, 'utf8')) as Manifest
      return Object.entries(exports).flatMap(([subpath, target]) =>
        typeof target === 'string' || publishConfig?.exports[subpath] !== undefined
          ? []
          : [[posix.join(name, subpath), posix.join(posix.dirname(path), target['@mintmark/source'])] as const],
      )
    }),
  )

interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, string | { readonly '@mintmark/source': string }>>
  readonly publishConfig?: { readonly exports: Readonly<Record<string, unknown>> }
}
