import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, describe, expect, it } from 'vitest'

import { parseCompareOptions } from '../../benchmarks/src/compare/compare-options.ts'
import { ratioOf, reportHead, reportLine } from '../../benchmarks/src/compare/comparison.ts'
import { findRevision } from '../../benchmarks/src/compare/earlier-tree.ts'

describe('the arguments of pnpm bench compare', () => {
  it('accepts no arguments, and leaves the revision open', () => {
    expect(parseCompareOptions([])).toEqual({ workload: '', effort: expect.objectContaining({ rounds: 5 }) as unknown })
  })

  it('accepts a revision and all options', () => {
    const options = parseCompareOptions(['--', 'HEAD~3', '--short', '--seconds', '45', '--workload', 'POST'])

    expect(options).toMatchObject({ revision: 'HEAD~3', seconds: 45, workload: 'POST', effort: { window: 50 } })
  })

  it.each([
    { words: ['v1', 'v2'], message: 'Only one revision' },
    { words: [''], message: 'The revision is empty' },
    { words: ['--seconds', '0'], message: '--seconds is a positive number' },
    { words: ['--seconds', 'soon'], message: '--seconds is a positive number' },
    { words: ['--long'], message: "Unknown option '--long'" },
  ])('rejects $words', ({ words, message }) => {
    expect(() => parseCompareOptions(words)).toThrow(message)
    expect(() => parseCompareOptions(words)).toThrow('Write pnpm bench compare [REVISION]')
  })

  it.each([
    { words: ['--workload', 'telnet'], message: 'No workload contains "telnet" in its title.' },
    { words: ['a', 'b'], message: 'Only one revision' },
  ])('the command ends with a reason and without a table: $words', ({ words, message }) => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--conditions=@mintmark/source', 'benchmarks/src/compare/compare.ts', ...words],
      { encoding: 'utf8' },
    )

    expect({ status, stderr, table: stdout.includes('|') }).toEqual({
      status: 1,
      stderr: expect.stringContaining(message) as unknown,
      table: false,
    })
  })
})

describe('the revision to compare with', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-revisions-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const git = (...words: readonly string[]): void => {
    const identity = ['-c', 'user.name=Kim', '-c', 'user.email=kim@example.com', '-c', 'commit.gpgsign=false']
    const { status, stderr } = spawnSync('git', ['-C', folder, ...identity, ...words], { encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
  }
  git('init', '--quiet')
  for (const subject of ['first', 'second', 'third']) git('commit', '--quiet', '--allow-empty', '-m', subject)

  it('is the first parent if nothing was released, and then the last release before HEAD', async () => {
    expect((await findRevision(undefined, folder)).description).toMatch(/ second$/)

    git('tag', 'v1', 'HEAD^1^1')
    git('tag', 'v2', 'HEAD')

    expect((await findRevision(undefined, folder)).description).toMatch(/ first$/)
  })

  it('is a revision that the repository contains', async () => {
    expect((await findRevision('HEAD', folder)).description).toMatch(/ third$/)
    await expect(findRevision('v9', folder)).rejects.toThrow('The repository does not contain v9.')
    await expect(findRevision('--all', folder)).rejects.toThrow('The repository does not contain --all.')
  })

  it('does not exist in a clone without history, and the error says why', async () => {
    const clone = join(folder, 'clone')
    git('clone', '--quiet', '--depth', '1', '--no-tags', `file://${folder}`, clone)

    await expect(findRevision(undefined, clone)).rejects.toThrow(
      'The repository does not contain HEAD^1: its history is shallow.',
    )
  })
})

describe('the report of pnpm bench compare', () => {
  const rounds = (...costs: readonly (readonly [number, number])[]) =>
    costs.map(([before, after]) => ({ before, after }))

  it('gives the median of the ratios of the rounds, and their range', () => {
    expect(ratioOf(rounds([100, 110], [200, 300], [50, 60]))).toEqual({
      median: 1.2,
      lowest: 1.1,
      highest: 1.5,
      verdict: 'slower',
    })
  })

  it.each([
    { name: 'all rounds are faster', costs: rounds([100, 80], [100, 88], [100, 92]), verdict: 'faster' },
    { name: 'the rounds disagree', costs: rounds([100, 80], [100, 140], [100, 150]), verdict: 'no clear difference' },
    { name: 'all rounds are a little slower', costs: rounds([100, 104], [100, 109]), verdict: 'no clear difference' },
    { name: 'all rounds are a little faster', costs: rounds([100, 96], [100, 91]), verdict: 'no clear difference' },
  ])('judges the ratio if $name', ({ costs, verdict }) => {
    expect(ratioOf(costs).verdict).toBe(verdict)
  })

  it('is a table with a row for each workload', () => {
    const lines = [
      { title: 'refresh, memory', rounds: rounds([100, 120], [100, 130], [110, 110]) },
      { title: 'POST user, SQLite', rounds: rounds([400, 200]) },
    ].map(reportLine)

    expect([...reportHead.split('\n'), ...lines]).toEqual([
      '| workload | before: CPU us | after: CPU us | after / before |  |',
      '| --- | --- | --- | --- | --- |',
      '| refresh, memory | 100 | 120 | 1.20 [1.00-1.30] | no clear difference |',
      '| POST user, SQLite | 400 | 200 | 0.50 [0.50-0.50] | faster |',
    ])
  })
})
