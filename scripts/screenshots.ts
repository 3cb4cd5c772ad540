// Takes screenshots of every page for docs/reference/pages.md: on desktops and phones, light and dark, in English and
// Arabic.
// Usage: screenshots [--only NAME] [--to FOLDER]
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { createPages } from '@mintmark/pages'
import { arabic, english } from '@mintmark/pages/languages'

import { launchChromium } from '../packages/pages/test/browser/launch-chromium.ts'
import { servePages } from '../packages/pages/test/browser/serve-pages.ts'
import { gallery } from '../packages/pages/src/gallery.ts'
import { chosenName, runCommand } from './command-words.ts'

/** The screenshots on the sheet of a page: each language light and dark, once on a desktop and once on a phone. */
const frames = [
  { messages: english, colorScheme: 'light', width: 640 },
  { messages: english, colorScheme: 'dark', width: 360 },
  { messages: arabic, colorScheme: 'light', width: 360 },
  { messages: arabic, colorScheme: 'dark', width: 640 },
] as const
/** The scale of a screenshot on the sheet. */
const scale = 0.65
/** The size of a sheet is limited, because the sheets are committed. */
const maximumBytes = 60_000

const galleries = [english, arabic].map(
  (messages) => [messages.lang, gallery(createPages({ languages: [messages] }))] as const,
)
const pages = Object.keys(galleries[0]?.[1] ?? {})

const { names, only, folder } = await runCommand(
  'Write pnpm generate screenshots [--only PAGE] [--to FOLDER].',
  (args) => {
    const { only, to: folder } = parseArgs({
      args,
      options: { only: { type: 'string' }, to: { type: 'string', default: 'docs/images/pages' } },
    }).values
    return { names: only === undefined ? pages : [chosenName('--only', pages, only)], only, folder }
  },
)

const site = await servePages(
  Object.fromEntries(
    galleries.flatMap(([lang, pages]) => Object.entries(pages).map(([name, answer]) => [`/${lang}/${name}`, answer])),
  ),
  () => ({ status: 204, headers: [], body: undefined }),
)
const browser = await launchChromium()
const page = await browser.newPage()

if (only === undefined) rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
for (const name of names) {
  const sheet = await sheetOf(name)
  if (sheet.byteLength > maximumBytes)
    throw new Error(`The sheet of ${name} has ${sheet.byteLength} bytes. The maximum is ${maximumBytes}.`)
  writeFileSync(join(folder, `${name}.webp`), sheet)
  console.log(`${name}.webp: ${sheet.byteLength} bytes`)
}
await browser.close()
await site.close()

async function sheetOf(name: string): Promise<Buffer> {
  const images: string[] = []
  for (const { messages, colorScheme, width } of frames) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 700 })
    await page.goto(`${site.origin}/${messages.lang}/${name}`)
    const data = (await page.screenshot({ fullPage: true })).toString('base64')
    images.push(
      `<img width="${width * scale}" src="data:image/png;base64,${data}" style="margin:6px;border-radius:6px;flex:none">`,
    )
  }
  return toWebp(
    `<!doctype html><body style="margin:0;padding:6px;display:flex;align-items:start;width:max-content;background:#8a9490">${images.join('')}</body>`,
  )
}

/** Renders markup as a WebP image. Playwright's own screenshots are only PNG or JPEG. */
async function toWebp(markup: string): Promise<Buffer> {
  const sheet = await browser.newPage()
  await sheet.setContent(markup)
  const { width, height } = (await sheet.locator('body').boundingBox()) ?? { width: 1, height: 1 }
  const session = await sheet.context().newCDPSession(sheet)
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'webp',
    quality: 75,
    captureBeyondViewport: true,
    clip: { x: 0, y: 0, width, height, scale: 1 },
  })
  await sheet.close()
  return Buffer.from(data, 'base64')
}
