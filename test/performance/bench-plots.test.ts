import { describe, expect, it } from 'vitest'

import { pageTables } from '../../benchmarks/src/page-tables.ts'
import { plotsOf, type Result } from '../../benchmarks/src/plots/plots-of.ts'
import { target, type Suite } from '../../benchmarks/src/suites/suite.ts'

/** Returns the result of targets with these costs in each round; the costs of the database are zero. */
function aResult(
  suite: Pick<Suite, 'name' | 'workloads'>,
  targets: readonly { readonly name: string; readonly rows?: number; readonly costs: readonly number[] }[],
): Result {
  const [workload = 'refresh'] = suite.workloads
  return {
    suite: { ...suite, targets: targets.map(({ name, rows = 0 }) => target(name, '', { storage: 'sqlite', rows })) },
    workload,
    measured: targets.map(({ name, costs }) => ({
      name,
      cpuPerFlow: costs.map((server) => ({ server, database: 0 })),
      flowsPerSecond: 1,
    })),
  }
}

const textsOf = (svg: string): readonly string[] =>
  [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text = '']) => text)

describe('the plots of pnpm bench', () => {
  const peers = aResult({ name: 'refresh', workloads: ['refresh'] }, [
    { name: 'floor, memory', costs: [100, 100, 200] },
    { name: 'Mintmark, memory', costs: [90, 95, 200] },
    { name: 'peer <1 & "2"', costs: [2000, 1200, 2600] },
  ])

  it('show a bar for each server, relative to the floor, with the median of the rounds', () => {
    const [plot, ...others] = plotsOf([peers])

    expect(others).toEqual([])
    expect(plot?.file).toBe('peers-oauth.svg')
    expect(textsOf(plot?.svg ?? '')).toEqual([
      'OAuth: CPU time per flow, floor = 1',
      'refresh',
      'Mintmark, memory',
      '0.95',
      'peer &lt;1 &amp; &quot;2&quot;',
      // The bar is cut.
      '» 13',
    ])
    expect(
      [...(plot?.svg ?? '').matchAll(/class="(?:own|other)".*width="([\d.]+)"/g)].map(([, length]) => length),
    ).toEqual(['59.4', '375.0'])
  })

  it('show a line for each workload, relative to the smallest number of rows', () => {
    const growth = aResult({ name: 'SCIM growth, SQLite', workloads: ['POST user'] }, [
      { name: 'floor, 100k', rows: 100_000, costs: [10] },
      { name: 'Mintmark, 1k', rows: 1000, costs: [100, 100] },
      { name: 'Mintmark, 100k', rows: 100_000, costs: [120, 130] },
    ])

    const [plot, ...others] = plotsOf([growth])

    expect(others).toEqual([])
    expect(plot?.file).toBe('growth-sqlite.svg')
    expect(textsOf(plot?.svg ?? '')).toEqual([
      'SQLite: CPU time per flow by number of grants or users, smallest number = 1',
      '0.0',
      '0.5',
      '1.0',
      '1.5',
      '1,000',
      '100,000',
      'POST user 1.25',
    ])
  })

  it('are separate for OAuth and SCIM, and are not drawn without other products or growth', () => {
    const scim = aResult({ name: 'SCIM, requests', workloads: ['POST user'] }, [
      { name: 'floor, SQLite', costs: [1] },
      { name: 'scimmy, Map', costs: [7] },
    ])
    const alone = aResult({ name: 'userinfo', workloads: ['userinfo'] }, [
      { name: 'floor, memory', costs: [1] },
      { name: 'Mintmark, memory', costs: [1] },
    ])

    expect(plotsOf([peers, scim, alone]).map(({ file }) => file)).toEqual(['peers-oauth.svg', 'peers-scim.svg'])
    expect(plotsOf([alone])).toEqual([])
  })

  it('are readable on dark pages: they have a background and a second set of colours', () => {
    const [plot] = plotsOf([peers])

    expect(plot?.svg).toContain('class="page" width="760"')
    expect(plot?.svg).toMatch(/@media\(prefers-color-scheme:dark\)\{text\{fill:#e6edf3/)
  })
})

describe('the tables for docs/performance.md', () => {
  it('have the median and the range of the rounds, relative to each floor, and nothing for a target that was not measured', () => {
    const refresh = aResult({ name: 'refresh', workloads: ['refresh'] }, [
      { name: 'floor, memory', costs: [100, 100, 200] },
      { name: 'floor, our work, memory', costs: [80, 100, 200] },
      { name: 'Mintmark, memory', costs: [120, 110, 260] },
      { name: 'jmondi, Map, JWT', costs: [1500, 1510, 2900] },
    ])

    expect(pageTables([refresh])).toBe(
      [
        '## OAuth',
        '',
        '| workload | floor, memory: CPU us | Mintmark, memory | relative to our work | Mintmark, SQLite | relative to our work | oidc-provider | node-oauth | jmondi | better-auth |',
        '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |',
        '| refresh | 100 | 1.20 [1.10-1.30] | 1.30 [1.10-1.50] |  |  |  |  | 15.0 |  |',
        '',
        '',
      ].join('\n'),
    )
  })

  it('compare a repeated token with an opaque one, and count the database on PostgreSQL', () => {
    const repeated = aResult({ name: 'userinfo, repeated', workloads: ['userinfo, repeated'] }, [
      { name: 'floor, memory', costs: [100] },
      { name: 'floor, memory, opaque', costs: [10] },
      { name: 'Mintmark, memory', costs: [25] },
    ])
    const onPostgres = aResult({ name: 'refresh, PostgreSQL', workloads: ['refresh'] }, [
      { name: 'floor, PostgreSQL', costs: [100] },
      { name: 'floor, our work, PostgreSQL', costs: [120] },
      { name: 'Mintmark, PostgreSQL', costs: [180] },
    ])

    const text = pageTables([repeated, onPostgres])

    expect(text).toContain('| userinfo, repeated | 10 | 2.50 [2.50-2.50] |')
    expect(text).toContain('| refresh | 100 | 1.80 [1.80-1.80] | 1.50 [1.50-1.50] |')
  })
})
