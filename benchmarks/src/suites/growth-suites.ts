import type { TargetSettings } from '../site.ts'
import { scimFloor, scimMintmark } from './scim-suites.ts'
import { target, type Change, type Suite, type SuiteTarget } from './suite.ts'

/**
 * How a cost grows with what is there: accounts of a provider, or people's live grants with their families of tokens.
 * @param sizes how many rows; the first is what the others are compared with.
 */
export const growthSuites = (sizes: readonly number[]): readonly Suite[] =>
  (['sqlite', 'postgres', 'memory'] as const).flatMap((storage) => [
    {
      name: `grant growth, ${titles[storage]}`,
      workloads: ['refresh, many families', 'introspection', 'code + PKCE'],
      targets: grown(storage, sizes, mintmark),
    },
    {
      name: `SCIM growth, ${titles[storage]}`,
      workloads: ['userName eq', 'work e-mail eq', 'page of 100', 'PATCH active', 'POST user'],
      targets: [...(storage === 'memory' ? [] : grown(storage, sizes.slice(-1), scimFloor)), ...grown(storage, sizes, scimMintmark)],
    },
  ])

const titles = { memory: 'memory', sqlite: 'SQLite', postgres: 'PostgreSQL' } as const

const mintmark = (name: string, change: Change): SuiteTarget => target(`Mintmark, ${name}`, 'mintmark/mintmark.ts', change)

const grown = (
  storage: TargetSettings['storage'],
  sizes: readonly number[],
  of: (name: string, change: Change) => SuiteTarget,
): readonly SuiteTarget[] =>
  // A million accounts as objects are no store that anybody has.
  sizes.filter((rows) => storage !== 'memory' || rows <= 100_000).map((rows) => of(sizeName(rows), { storage, rows }))

function sizeName(rows: number): string {
  if (rows >= 1_000_000) return `${rows / 1_000_000}M`
  return rows >= 1000 ? `${rows / 1000}k` : String(rows)
}
