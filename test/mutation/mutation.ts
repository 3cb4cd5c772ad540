// Weakens guards one at a time and runs the tests that reach each: `pnpm mutation [guards] [seed]`. It changes sources, so it
// works in a clone of HEAD. It fails if the tests miss more than five percent of the changes.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { findGuards, pickGuards } from './guards.ts'
import { justifications } from './justifications.ts'

/** The part of the runner's report that is used (mutation-testing-report-schema). */
interface MutationReport {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: readonly Mutant[] }>>
}

interface Mutant {
  readonly mutatorName: string
  readonly replacement: string
  readonly status: 'Killed' | 'Timeout' | 'Survived' | 'NoCoverage' | 'RuntimeError' | 'CompileError' | 'Ignored'
  readonly location: { readonly start: Position; readonly end: Position }
}

interface Position {
  readonly line: number
  readonly column: number
}

const requiredScore = 0.95

const options = {
  plugins: ['@stryker-mutator/vitest-runner'],
  testRunner: 'vitest',
  // Which tests reach a guard is measured: imports of files that Node loads by itself are unknown to the runner.
  vitest: { configFile: 'vitest.mutation.ts', related: false },
  // In a copied folder the links between the packages would lead to the unchanged sources.
  inPlace: true,
  coverageAnalysis: 'perTest',
  mutator: {
    excludedMutations: [
      'ArithmeticOperator',
      'ArrayDeclaration',
      'ArrowFunction',
      'AssignmentOperator',
      'BlockStatement',
      'BooleanLiteral',
      'EqualityOperator',
      'LogicalOperator',
      'MethodExpression',
      'ObjectLiteral',
      'OptionalChaining',
      'Regex',
      'StringLiteral',
      'UnaryOperator',
      'UpdateOperator',
    ],
  },
  concurrency: 3,
  dryRunTimeoutMinutes: 30,
  reporters: ['json', 'progress-append-only'],
  jsonReporter: { fileName: 'mutation.json' },
  warnings: { unknownOptions: false },
}

function runInClone(command: string, ...args: readonly string[]): void {
  execFileSync(command, args, { cwd: clone, stdio: 'inherit' })
}

function printReport({ files }: MutationReport): boolean {
  const weakened = Object.entries(files).flatMap(([file, { source, mutants }]) =>
    mutants.filter((mutant) => isWeakened(mutant, source)).map((mutant) => ({ file, source, ...mutant })),
  )
  const missed = weakened.filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
  const unexplained = missed.filter(
    ({ file, source, location }) => justifications[file]?.[lineOf(source, location)] === undefined,
  )
  for (const { file, source, location, replacement, status } of unexplained)
    console.log(`${file}:${location.start.line} ${status}\n  ${lineOf(source, location)}\n  as ${replacement}`)

  const score = 1 - missed.length / weakened.length
  const kept = missed.length - unexplained.length
  console.log(
    `${weakened.length} changes, ${missed.length} missed (${kept} of them justified): ${(score * 100).toFixed(1)} %`,
  )
  return score >= requiredScore && unexplained.length === 0
}

/** A condition that is always true fails every test that passes the guard, so it says nothing about the refusal's test. */
const isWeakened = ({ mutatorName, replacement, location }: Mutant, source: string): boolean =>
  mutatorName === 'ConditionalExpression' && !(replacement === 'true' && isWholeCondition(location, source))

function isWholeCondition({ start, end }: Mutant['location'], source: string): boolean {
  const line = source.split('\n')[start.line - 1] ?? ''
  return line.slice(0, start.column - 1).endsWith('if (') && line.slice(end.column - 1).startsWith(')')
}

const lineOf = (source: string, { start }: Mutant['location']): string =>
  (source.split('\n')[start.line - 1] ?? '').trim()

const [guards = '200', seed = '1'] = process.argv.slice(2)

const clone = mkdtempSync(join(tmpdir(), 'mintmark-mutation-'))
try {
  execFileSync('git', ['clone', '--quiet', process.cwd(), clone])
  runInClone('npx', '-y', 'pnpm@12.21.0', 'install', '--frozen-lockfile', '--prefer-offline')
  const picked = pickGuards(findGuards(clone), { count: Number(guards), seed: Number(seed) })
  const mutate = picked.map(({ file, line, from, to }) => `${file}:${line}:${from}-${line}:${to}`)
  writeFileSync(join(clone, 'stryker.config.json'), JSON.stringify({ ...options, mutate }))
  runInClone(process.execPath, 'node_modules/@stryker-mutator/core/bin/stryker.js', 'run')
  const isEnough = printReport(JSON.parse(readFileSync(join(clone, 'mutation.json'), 'utf8')) as MutationReport)
  process.exitCode = isEnough ? 0 : 1
} finally {
  rmSync(clone, { recursive: true, force: true })
}
