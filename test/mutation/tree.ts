import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A digest of all sources and tests: it differs when one of them was edited. */
export function digestTree(root: string): string {
  const digest = createHash('sha256')
  const files = ['packages/*/src/**/*.ts', 'packages/*/test/**/*.ts', 'test/**/*.ts']
  for (const file of globSync(files, { cwd: root }).toSorted()) {
    digest.update(`${file}\n`)
    digest.update(readFileSync(join(root, file)))
  }
  return digest.digest('hex')
}
