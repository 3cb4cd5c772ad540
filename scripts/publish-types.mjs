// Writes the declarations that are published, dist/types, from those that tsc keeps in .types. The internal package is
// bundled and never published, so its declarations are copied into each package that refers to them.
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { posix } from 'node:path'

for (const folder of globSync('packages/*/.types', { exclude: ['packages/internal/.types'] })) {
  const types = posix.join(posix.dirname(folder), 'dist/types')
  rmSync(types, { recursive: true, force: true })
  cpSync(folder, types, { recursive: true })

  const files = globSync(`${types}/**/*.d.ts`)
  const usesInternal = files.filter((file) => readFileSync(file, 'utf8').includes("'@mintmark/internal'"))
  if (usesInternal.length > 0) cpSync('packages/internal/.types', `${types}/internal`, { recursive: true })
  for (const file of usesInternal) {
    const path = posix.relative(posix.dirname(file), `${types}/internal`)
    const specifier = `'${path.startsWith('.') ? path : `./${path}`}/index.js'`
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll("'@mintmark/internal'", specifier))
  }
}
