import { execFile } from 'node:child_process'

import { describe, expect, test } from 'vitest'

import { allSuites, selectSuites } from '../../benchmarks/src/suites/suites.ts'
import { chosenName, positiveCount, selectNamed, WrongWordsError } from '../../scripts/command-words.ts'

describe('the words of a command of the repository', () => {
  const engines = [{ name: 'PostgreSQL' }, { name: 'SQLite' }, { name: 'MariaDB' }]

  test('selects what contains one of the parts, in upper or lower case', () => {
    expect(selectNamed('engine', engines, ['postgres', 'MARIA'])).toEqual([{ name: 'PostgreSQL' }, { name: 'MariaDB' }])
    expect(selectNamed('engine', engines, [''])).toEqual(engines)
  })

  test('refuses a part that is in no name, although another part is, and lists the names', () => {
    expect(() => selectNamed('engine', engines, ['sqlite', 'oracle'])).toThrow(
      new WrongWordsError('No engine is named "oracle". The names are: PostgreSQL; SQLite; MariaDB.'),
    )
  })

  test('refuses a name that is not in the list, and lists the names', () => {
    expect(chosenName('--writers', ['all', 'one'], 'one')).toBe('one')
    expect(() => chosenName('--writers', ['all', 'one'], 'two')).toThrow(
      new WrongWordsError('--writers is one of all, one, not "two".'),
    )
  })

  test.each(['0', '-1', 'soon', '', '1.5', 'Infinity'])('refuses %j as a number of rounds', (word) => {
    expect(() => positiveCount('The number of rounds', word)).toThrow(WrongWordsError)
  })

  test.each([
    { part: { suite: ['telnet'] }, says: 'No suite is named "telnet".' },
    { part: { workload: 'telnet' }, says: 'No workload is named "telnet".' },
    { part: { target: ['Mintmark', 'telnet'] }, says: 'No target is named "telnet".' },
  ])('the suites of pnpm bench refuse $part', ({ part, says }) => {
    const all = allSuites([1000])

    expect(selectSuites(all, everything)).toEqual(all)
    expect(() => selectSuites(all, { ...everything, ...part })).toThrow(says)
  })

  // Each of these once ran nothing and succeeded, ran something else, or printed a stack trace.
  test.each([
    { words: 'stress race --database NAME', says: 'No database is named "NAME". The names are: PostgreSQL; SQLite.' },
    { words: 'stress race 1 nobody --database sqlite', says: 'No race is named "nobody". The names are: a code is' },
    { words: 'stress hostile-tenant --case nothing', says: 'No case is named "nothing". The names are: ' },
    { words: 'bench --suite telnet', says: 'No suite is named "telnet". The names are: ' },
    { words: 'bench --fast', says: "Unknown option '--fast'" },
    { words: 'cluster galera --writers two', says: '--writers is one of all, one, not "two".' },
    { words: 'generate readme --check', says: 'Write pnpm generate readme, without further words.' },
    { words: 'stress rase', says: 'Write pnpm stress NAME, where NAME is race, overload, chaos, hostile-tenant.' },
  ])('pnpm $words ends with a sentence, and runs nothing', async ({ words, says }) => {
    const { code, stdout, stderr } = await run(words)

    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(says)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  test.each([
    { words: 'bench --help', says: 'Write pnpm bench NAME, where NAME is requests, ' },
    { words: 'bench requests --help', says: '[--suite PART OF A NAME]' },
    { words: 'generate site --help', says: 'Write pnpm generate site, without further words.' },
  ])('pnpm $words says what the command accepts, and runs nothing', async ({ words, says }) => {
    const { code, stdout, stderr } = await run(words)

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(says)
    expect(stdout.trim().split('\n')).toHaveLength(1)
  })
})

const everything = { suite: [''], workload: '', target: [''] }

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const run = (words: string): Promise<Ended> =>
  new Promise((resolve) => {
    const all = ['--import', './scripts/require-node.mjs', 'scripts/run.ts', ...words.split(' ')]
    const child = execFile(process.execPath, all, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })
