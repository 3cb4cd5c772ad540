import { spawn } from 'node:child_process'

/**
 * Runs a command whose result is only information. Prints its output. Never throws: a command that fails, does not end
 * in time or cannot start gives a reason.
 * @returns the reason why the report is missing; undefined if the command has succeeded.
 */
export function runReport(program, words, { seconds }) {
  return new Promise((resolve) => {
    // The command starts further processes, which are in the same group.
    const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    let errors = ''
    let isLate = false
    const kill = (signal) => {
      isLate = true
      if (child.pid === undefined) return
      try {
        process.kill(-child.pid, signal)
      } catch {
        // It has ended meanwhile.
      }
    }
    const timers = [
      setTimeout(() => kill('SIGTERM'), seconds * 1000),
      // For a command that does not clean up in time.
      setTimeout(() => kill('SIGKILL'), (seconds + 3) * 1000),
    ]
    const end = (reason) => {
      for (const timer of timers) clearTimeout(timer)
      resolve(reason)
    }
    child.stdout.on('data', (chunk) => process.stdout.write(chunk))
    child.stderr.on('data', (chunk) => {
      errors += chunk
    })
    child.on('error', (error) => end(error.message))
    child.on('close', (code) => {
      if (isLate) end(`it did not end within ${seconds} s`)
      else end(code === 0 ? undefined : lastLine(errors) || `it ended with code ${code}`)
    })
  })
}

/** pnpm writes its own line after the output of a command that fails. */
const lastLine = (text) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(\[ELIFECYCLE\]|\$ )/.test(line))
    .at(-1)
