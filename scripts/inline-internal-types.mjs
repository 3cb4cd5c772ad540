// The internal package is bundled, never published: its declarations are copied into each package whose own refer to it.
import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { posix } from 'node:path'

const declarations = globSync('packages/*/dist/types/**/*.d.ts', { exclude: ['packages/internal/**'] })

for (const file of declarations) {
  const text = readFileSync(file, 'utf8')
  if (!text.includes("'@mintmark/internal'")) continue

  const [types] = /^packages\/[^/]+\/dist\/types/.exec(file)
  const folder = `${types}/internal`
  cpSync('packages/internal/dist/types', folder, { recursive: true })
  const path = posix.relative(posix.dirname(file), folder)
  const specifier = `'${path.startsWith('.') ? path : `./${path}`}/index.js'`
  writeFileSync(file, text.replaceAll("'@mintmark/internal'", specifier))
}
