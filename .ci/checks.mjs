// All checks that a change must pass, from fast to slow. Runs with Node 20 and npm, without a terminal or stdin.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { runReport } from './report.mjs'

const pnpm = ['-y', 'pnpm@12.21.0']

/**
 * Commands of package.json. With `config`, the command runs tests. With `needsRegistry`, it downloads packages, and is
 * listed as not run if it fails while the registry does not answer; with `needsNamespaces`, it is listed as not run on a machine
 * that does not allow network namespaces. The stages follow one another. The lanes of a stage run at
 * the same time, because their commands use one core each; tests use all cores.
 */
const stages = [
  // Otherwise the first commands of two lanes would both install.
  [[{ command: ['install', '--frozen-lockfile', '--prefer-offline'] }]],
  [
    [{ command: ['format:check'] }, { command: ['boundaries'] }, { command: ['unused'] }],
    [{ command: ['lint'] }, { command: ['check'] }],
  ],
  [[{ command: ['test'], config: 'vitest.workspace.ts' }]],
  [
    [{ command: ['mutation', 'critical'] }],
    [
      { command: ['build'] },
      // It writes the types that the package check reads.
      { command: ['generate', 'api-report'] },
      { command: ['package-check'] },
      { command: ['generate', 'bill-of-materials'] },
    ],
  ],
  [[{ command: ['test:long'], config: 'vitest.long.ts' }]],
  [[{ command: ['test:cluster', 'redis'], config: 'vitest.cluster.ts', needsNamespaces: true }]],
  [[{ command: ['packed'], config: 'vitest.packed.ts', needsRegistry: true }]],
  [
    [
      { command: ['generate', 'site'] },
      { command: ['generate', 'screenshots', '--only', 'sign-in', '--to', 'test-output/screenshots'] },
    ],
    [{ command: ['foreign-clients'], needsRegistry: true }],
  ],
]

const folder = mkdtempSync(join(tmpdir(), 'mintmark-ci-'))
const tally = { passed: 0, failed: 0, skipped: 0 }
const notes = []
const failed = await runStages()
if (failed.length === 0) await compareSpeed()

rmSync(folder, { recursive: true, force: true })
for (const note of notes) console.log(note)
for (const { command } of failed) console.log(`failed at: ${command.join(' ')}`)
console.log(`${tally.passed} passed, ${tally.failed} failed, ${tally.skipped} skipped`)
process.exitCode = failed.length === 0 ? 0 : 1

/** Compares the speed with the previous version. This is only information, and never fails the checks. */
async function compareSpeed() {
  console.log('== bench compare')
  const words = [...pnpm, 'bench', 'compare', '--short', '--seconds', '35']
  const reason = await runReport('npx', words, { seconds: 57 })
  if (reason !== undefined) notes.push(`not run: bench compare, because: ${reason}`)
}

/** Returns the commands that failed: at most one of each lane. */
async function runStages() {
  for (const lanes of stages) {
    const results = await Promise.all(lanes.map((steps) => runLane(steps, lanes.length === 1)))
    const failures = results.filter((step) => step !== undefined)
    if (failures.length > 0) return failures
  }
  return []
}

/** Runs commands one after the other. Returns the one that failed. */
async function runLane(steps, isAlone) {
  for (const step of steps) if (!(await runStep(step, isAlone))) return step
  return undefined
}

/** Returns whether the checks can go on. */
async function runStep({ command, config, needsRegistry = false, needsNamespaces = false }, isAlone) {
  const name = command.join(' ')
  if (needsNamespaces && !allowsNamespaces()) {
    notes.push(`not run: ${name}, because this machine does not allow network namespaces`)
    return true
  }
  console.log(`== ${name}`)
  const startedAt = performance.now()
  const hasPassed = config === undefined ? await run(command, { isAlone }) : await runTests(command, config)
  console.log(`== ${name}: ${Math.round((performance.now() - startedAt) / 1000)} s`)
  if (hasPassed) return true
  if (!needsRegistry || answersRegistry()) return false
  notes.push(`not run: ${name}, because the registry does not answer`)
  return true
}

/** Runs tests, and each file that fails once more, alone. */
async function runTests(command, config) {
  const report = join(folder, 'report.json')
  const env = { MINTMARK_TEST_REPORT: report }
  rmSync(report, { force: true })
  const hasPassed = await run(command, { env })
  if (!existsSync(report)) return hasPassed
  const { passed, failed, skipped, failedFiles } = takeReport(report)
  tally.passed += passed
  tally.failed += failed
  tally.skipped += skipped
  if (hasPassed) return true
  for (const file of failedFiles) {
    if (!(await run(['exec', 'vitest', 'run', '--config', config, file.path], { env }))) return false
    tally.failed -= file.failed
    tally.passed += file.failed
    notes.push(`unstable: ${file.path}`)
  }
  // Errors outside of tests belong to no file.
  return failedFiles.length > 0 && failedFiles.reduce((sum, file) => sum + file.failed, 0) === failed
}

function takeReport(file) {
  const report = JSON.parse(readFileSync(file, 'utf8'))
  rmSync(file)
  return report
}

/** Runs a command. If others run at the same time, its output is printed when it has ended. */
async function run(command, { env = {}, isAlone = true } = {}) {
  const output = isAlone ? 'inherit' : 'pipe'
  const child = spawn('npx', [...pnpm, ...command], {
    stdio: ['ignore', output, output],
    env: { ...process.env, ...env },
  })
  const chunks = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => chunks.push(chunk))
  const [code] = await once(child, 'close')
  if (!isAlone) console.log(`== output of ${command.join(' ')}\n${Buffer.concat(chunks).toString()}`)
  return code === 0
}

function allowsNamespaces() {
  return process.getuid?.() === 0 && spawnSync('unshare', ['--net', 'true']).status === 0
}

function answersRegistry() {
  const options = { stdio: 'ignore', timeout: 60_000 }
  return spawnSync('npm', ['view', 'express', 'version', '--prefer-online', '--fetch-retries=1'], options).status === 0
}
