// All checks that a change must pass, from fast to slow. Runs with Node 20 and npm, without a terminal or stdin.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const pnpm = ['-y', 'pnpm@12.21.0']

/**
 * Commands of package.json. With `config`, the command runs tests. With `needsRegistry`, it downloads packages, and is
 * listed as not run if it fails while the registry does not answer.
 */
const steps = [
  { command: ['format:check'] },
  { command: ['lint'] },
  { command: ['check'] },
  { command: ['boundaries'] },
  { command: ['unused'] },
  { command: ['test'], config: 'vitest.workspace.ts' },
  { command: ['mutation', 'critical'] },
  { command: ['build'] },
  { command: ['generate', 'api-report'] },
  { command: ['package-check'] },
  { command: ['generate', 'bill-of-materials'] },
  { command: ['test:long'], config: 'vitest.long.ts' },
  { command: ['packed'], config: 'vitest.packed.ts', needsRegistry: true },
  { command: ['generate', 'site'] },
  { command: ['generate', 'screenshots', '--only', 'sign-in', '--to', 'test-output/screenshots'] },
  { command: ['foreign-clients'], needsRegistry: true },
]

const folder = mkdtempSync(join(tmpdir(), 'mintmark-ci-'))
const tally = { passed: 0, failed: 0, skipped: 0 }
const notes = []
const failedAt = steps.find((step) => !runStep(step))

rmSync(folder, { recursive: true, force: true })
for (const note of notes) console.log(note)
if (failedAt !== undefined) console.log(`failed at: ${failedAt.command.join(' ')}`)
console.log(`${tally.passed} passed, ${tally.failed} failed, ${tally.skipped} skipped`)
process.exitCode = failedAt === undefined ? 0 : 1

/** Returns whether the checks can go on. */
function runStep({ command, config, needsRegistry = false }) {
  console.log(`== ${command.join(' ')}`)
  const startedAt = performance.now()
  const hasPassed = config === undefined ? run(command) : runTests(command, config)
  console.log(`== ${command.join(' ')}: ${Math.round((performance.now() - startedAt) / 1000)} s`)
  if (hasPassed) return true
  if (!needsRegistry || answersRegistry()) return false
  notes.push(`not run: ${command.join(' ')}, because the registry does not answer`)
  return true
}

/** Runs tests, and each file that fails once more, alone. */
function runTests(command, config) {
  const report = join(folder, 'report.json')
  rmSync(report, { force: true })
  const hasPassed = run(command, { MINTMARK_TEST_REPORT: report })
  if (!existsSync(report)) return hasPassed
  const { passed, failed, skipped, failedFiles } = takeReport(report)
  tally.passed += passed
  tally.failed += failed
  tally.skipped += skipped
  if (hasPassed) return true
  for (const file of failedFiles) {
    const isStable = run(['exec', 'vitest', 'run', '--config', config, file.path], { MINTMARK_TEST_REPORT: report })
    if (!isStable) return false
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

function run(command, env = {}) {
  const options = { stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, ...env } }
  return spawnSync('npx', [...pnpm, ...command], options).status === 0
}

function answersRegistry() {
  const options = { stdio: 'ignore', timeout: 60_000 }
  return spawnSync('npm', ['view', 'express', 'version', '--prefer-online', '--fetch-retries=1'], options).status === 0
}
