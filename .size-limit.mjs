import { globSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'

/** The recorded sizes: `pnpm generate sizes` writes them. */
const recorded = new Map(
  Array.from(readFileSync('docs/reference/sizes.md', 'utf8').matchAll(/^\| (.+) \| (\d+) \|$/gm), ([, name, size]) => [
    name,
    Number(size),
  ]),
)

/** What is new has a limit that it exceeds, so that it is recorded. */
const limitOf = (name) => `${Math.floor((recorded.get(name) ?? 0) * 1.03 + 100)} B`

export default globSync('packages/*/package.json').toSorted().flatMap(checksOf)

/** One check for each import path, bundled with its dependencies as a host would, and one for the tarball. */
function checksOf(path) {
  const {
    name,
    version,
    publishConfig,
    peerDependencies = {},
    private: isPrivate,
  } = JSON.parse(readFileSync(path, 'utf8'))
  if (isPrivate) return []
  const entries = Object.entries(publishConfig.exports).filter(([, target]) => typeof target === 'object')
  const bundled = entries.map(([subpath, target]) => ({
    name: `\`${posix.join(name, subpath)}\``,
    path: join(dirname(path), target.default),
    ignore: Object.keys(peerDependencies),
    gzip: true,
    modifyEsbuildConfig: (config) => ({
      ...config,
      format: 'esm',
      platform: 'node',
      target: 'es2023',
      legalComments: 'none',
      logLevel: 'error',
    }),
  }))
  const packed = {
    name: `\`${name}\`, packed`,
    path: `dist/packed/${name.replace('@', '').replace('/', '-')}-${version}.tgz`,
    brotli: false,
    // Measured as it is.
    modifyEsbuildConfig: (config) => ({ ...config, loader: { '.tgz': 'copy' } }),
  }
  return [...bundled, packed].map((check) => ({ ...check, limit: limitOf(check.name) }))
}
