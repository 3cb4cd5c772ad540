import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'

/**
 * Launches the Chromium that is installed on the machine: from `CHROMIUM_PATH`, or from PATH. On PATH, prefers the headless
 * shell, which is the same engine without a window and needs two fifths of the processor time.
 */
export async function launchChromium(): Promise<Browser> {
  // The sandbox needs privileges that containers lack, and this browser shows only our own pages.
  return chromium.launch({
    executablePath: process.env['CHROMIUM_PATH'] ?? findOnPath('chromium-headless-shell', 'chromium'),
    args: ['--no-sandbox'],
  })
}

function findOnPath(...programs: readonly string[]): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const found = programs.flatMap((program) => folders.map((folder) => join(folder, program))).find(isExecutable)
  if (found === undefined)
    throw new Error(`${programs.join(' or ')} is not on PATH. Run scripts/system.mjs, or set CHROMIUM_PATH.`)
  return found
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    // The file does not exist or is not executable. The next folder may have it.
    return false
  }
}
