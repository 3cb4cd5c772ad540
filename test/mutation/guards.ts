import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The condition of an `if` on one line. Columns count from 0, as in the runner's ranges; `to` is the column after the condition. */
export interface Guard {
  readonly file: string
  readonly line: number
  readonly from: number
  readonly to: number
}

const packages = ['core', 'scim', 'admin', 'resource-server', 'storage-sql', 'storage-redis']

/** The guards of the packages whose checks protect something. */
export const findGuards = (root: string): readonly Guard[] =>
  packages
    .flatMap((name) => globSync(`packages/${name}/src/**/*.ts`, { cwd: root }))
    .filter((file) => !file.endsWith('.test.ts'))
    .toSorted()
    .flatMap((file) => guardsOf(file, readFileSync(join(root, file), 'utf8')))

const guardsOf = (file: string, source: string): readonly Guard[] =>
  source.split('\n').flatMap((text, index) => {
    const [, before, condition] =
      /^(\s*(?:\} else )?if \()(.+)\)(?: \{$| (?:throw|return|continue|break)\b)/.exec(text) ?? []
    if (before === undefined || condition === undefined) return []
    return [{ file, line: index + 1, from: before.length, to: before.length + condition.length }]
  })

/** The same guards for the same seed. */
export function pickGuards(
  guards: readonly Guard[],
  { count, seed }: { readonly count: number; readonly seed: number },
): readonly Guard[] {
  const left = [...guards]
  let state = seed
  return Array.from({ length: Math.min(count, left.length) }, () => {
    // A linear congruential generator (Numerical Recipes): the sample has to be repeatable, not unpredictable.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return left.splice(state % left.length, 1)
  }).flat()
}
