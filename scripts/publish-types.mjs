// Writes the declarations to publish, dist/types, from those that tsc wrote. What is bundled is not published: its declarations are
// copied into each package whose own refer to it.
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { posix } from 'node:path'

import { unpublishedImports } from './unpublished.ts'

const written = '.types'
const unpublished = unpublishedImports()

for (const manifest of globSync('packages/*/package.json')) {
  const { publishConfig } = JSON.parse(readFileSync(manifest, 'utf8'))
  if (publishConfig === undefined) continue

  const place = { package: posix.dirname(manifest), copied: new Set() }
  rmSync(`${place.package}/dist/types`, { recursive: true, force: true })
  for (const { types } of Object.values(publishConfig.exports))
    if (types !== undefined) copy(posix.join(place.package, types.replace('dist/types', written)), place)
}

/** Copies a declaration file to its place in the package, and every file that it refers to. */
function copy(file, place) {
  if (place.copied.has(file)) return
  place.copied.add(file)

  const path = placeOf(file, place)
  const text = readFileSync(file, 'utf8').replaceAll(/(from |import\()['"]([^'"]+)['"]/g, (whole, keyword, name) => {
    const imported = declarationsOf(name, file)
    if (imported === undefined) return whole
    copy(imported, place)
    const relative = posix.relative(posix.dirname(path), placeOf(imported, place)).replace(/\.d\.ts$/, '.js')
    return `${keyword}'${relative.startsWith('.') ? relative : `./${relative}`}'`
  })
  mkdirSync(posix.dirname(path), { recursive: true })
  writeFileSync(path, file.startsWith(`${place.package}/`) ? text : withPublishedBrand(text))
}

/** In the package's own folder as it was written; what is from elsewhere below `bundled`. */
function placeOf(file, place) {
  if (file.startsWith(`${place.package}/`)) return file.replace(written, 'dist/types')
  return `${place.package}/dist/types/bundled/${file.slice('packages/'.length).replace(`${written}/`, '')}`
}

/** The declarations behind an import, unless it stays as it is. */
function declarationsOf(name, importer) {
  const entry = unpublished.get(name)
  if (entry !== undefined) return entry.replace('/src/', `/${written}/`).replace(/\.ts$/, '.d.ts')
  return name.startsWith('.') ? posix.join(posix.dirname(importer), name.replace(/\.[jt]s$/, '.d.ts')) : undefined
}

/** A second `unique symbol` would make the branded values of the copy different from those that the package publishes. */
function withPublishedBrand(text) {
  const [symbol, type] = [/^declare const brand: unique symbol;$/m, /^export type Brand<.*?^\};$/ms]
  if (!symbol.test(text)) return text

  if (!type.test(text)) throw new Error('Brand is declared in another way: adapt withPublishedBrand.')
  return text
    .replace(symbol, "import type { Brand } from '@mintmark/storage-interface';")
    .replace(type, 'export type { Brand };')
}
