import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'

/** The machine's own Chromium: from `CHROMIUM_PATH`, or found on PATH. */
export async function launchChromium(): Promise<Browser> {
  // Its sandbox needs privileges that containers lack; it shows pages of ours only.
  return chromium.launch({ executablePath: process.env['CHROMIUM_PATH'] ?? onPath('chromium'), args: ['--no-sandbox'] })
}

function onPath(program: string): string {
  const found = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find(isExecutable)
  if (found === undefined) throw new Error(`${program} is not on PATH: run scripts/system.mjs, or set CHROMIUM_PATH`)
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
