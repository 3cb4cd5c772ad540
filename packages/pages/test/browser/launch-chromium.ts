import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'

/**
 * The machine's own Chromium: from `CHROMIUM_PATH`, or found on PATH. Its headless shell if there is one: the same engine
 * without the window around the page that nobody sees, for two fifths of the processor time.
 */
export async function launchChromium(): Promise<Browser> {
  // Its sandbox needs privileges that containers lack; it shows pages of ours only.
  return chromium.launch({
    executablePath: process.env['CHROMIUM_PATH'] ?? onPath('chromium-headless-shell', 'chromium'),
    args: ['--no-sandbox'],
  })
}

function onPath(...programs: readonly string[]): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const found = programs.flatMap((program) => folders.map((folder) => join(folder, program))).find(isExecutable)
  if (found === undefined)
    throw new Error(`${programs.join(' or ')} is not on PATH: run scripts/system.mjs, or set CHROMIUM_PATH`)
  return found
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    // Not in this folder, or not executable: the next one may have it.
    return false
  }
}
