import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns a digest of all sources and tests, which changes when one of them is edited. */
export function digestTree(root: string): string {
  const digest = createHash('sha256')
  const files = ['packages/*/src/**/*.ts', 'packages/*/test/**/*.ts', 'test/**/*.ts']
  for (const file of globSync(files, { cwd: root }).toSorted()) {
    digest.update(`${file}\n`)
    digest.update(readFileSync(join(root, file)))
  }
  return digest.digest('hex')
}
