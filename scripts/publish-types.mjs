// Copies the type declarations of each published package from the output of tsc to its dist/types. Unpublished packages
// are bundled: their declarations are copied into each package whose declarations refer to them.
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { posix } from 'node:path'

import { unpublishedImports } from './unpublished.ts'

const compilerOutput = '.types'
const unpublished = unpublishedImports()

for (const manifest of globSync('packages/*/package.json')) {
  const { publishConfig } = JSON.parse(readFileSync(manifest, 'utf8'))
  if (publishConfig === undefined) continue

  const target = { package: posix.dirname(manifest), copied: new Set() }
  rmSync(`${target.package}/dist/types`, { recursive: true, force: true })
  for (const { types } of Object.values(publishConfig.exports))
    if (types !== undefined) copy(posix.join(target.package, types.replace('dist/types', compilerOutput)), target)
}

/** Copies a declaration file, and every file that it refers to, into the package. */
function copy(file, target) {
  if (target.copied.has(file)) return
  target.copied.add(file)

  const path = targetPath(file, target)
  const text = readFileSync(file, 'utf8').replaceAll(/(from |import\()['"]([^'"]+)['"]/g, (whole, keyword, name) => {
    const imported = declarationsOf(name, file)
    if (imported === undefined) return whole
    copy(imported, target)
    const relative = posix.relative(posix.dirname(path), targetPath(imported, target)).replace(/\.d\.ts$/, '.js')
    return `${keyword}'${relative.startsWith('.') ? relative : `./${relative}`}'`
  })
  mkdirSync(posix.dirname(path), { recursive: true })
  writeFileSync(path, file.startsWith(`${target.package}/`) ? text : withPublishedBrand(text))
}

/** Returns the path to copy a file to. Files of other packages are copied to `dist/types/bundled`. */
function targetPath(file, target) {
  if (file.startsWith(`${target.package}/`)) return file.replace(compilerOutput, 'dist/types')
  return `${target.package}/dist/types/bundled/${file.slice('packages/'.length).replace(`${compilerOutput}/`, '')}`
}

/** Returns the declaration file of an import; undefined for an import that does not need to be rewritten. */
function declarationsOf(name, importer) {
  const entry = unpublished.get(name)
  if (entry !== undefined) return entry.replace('/src/', `/${compilerOutput}/`).replace(/\.ts$/, '.d.ts')
  return name.startsWith('.') ? posix.join(posix.dirname(importer), name.replace(/\.[jt]s$/, '.d.ts')) : undefined
}

/**
 * Replaces the declaration of `Brand` with an import of the published `Brand`. With a second `unique symbol`, the
 * branded types of the copy would be incompatible with the published ones.
 */
function withPublishedBrand(text) {
  const [symbol, type] = [/^declare const brand: unique symbol;$/m, /^export type Brand<.*?^\};$/ms]
  if (!symbol.test(text)) return text

  if (!type.test(text))
    throw new Error('The declaration of Brand has changed. Adapt withPublishedBrand in scripts/publish-types.mjs.')
  return text
    .replace(symbol, "import type { Brand } from '@mintmark/storage-interface';")
    .replace(type, 'export type { Brand };')
}
