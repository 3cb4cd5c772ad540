import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

import { expect, onTestFinished, test } from 'vitest'

import { aCommandLine, program } from './command-line.ts'

const branding = { productName: 'Reading <Room>', colors: { light: { accent: '#5b21b6' } } }

test('brand preview writes every page in each language and colour scheme, and a list of them', async () => {
  const line = await aCommandLine()
  writeFileSync(join(line.folder, 'brand.json'), JSON.stringify({ branding }))

  const { code, out } = await line.run('brand', 'preview', 'brand.json', '--language', 'en', 'de', '--to', 'preview')

  const page = (path: string): string => readFileSync(join(line.folder, 'preview', path), 'utf8')
  const names = readdirSync(join(line.folder, 'preview/en/light')).toSorted()
  expect([code, out]).toEqual([0, expect.stringContaining(join(line.folder, 'preview', 'index.html'))])
  expect(names).toEqual(readdirSync(join(line.folder, 'preview/de/dark')).toSorted())
  expect(names).toEqual(expect.arrayContaining(['sign-in.html', 'consent.html', 'account.html', 'error.html']))
  expect(page('en/light/sign-in.html')).toContain('<p class="brand">Reading &lt;Room&gt;</p>')
  expect(page('de/light/sign-in.html')).toContain('Anmelden')
  expect(page('en/dark/sign-in.html')).toContain('@media all {')
  expect(page('en/light/sign-in.html')).toContain('@media not all {')
  for (const name of names) expect(page('index.html')).toContain(`<a href="en/dark/${name}">`)
})

test('brand preview reads a module with languages of the host', async () => {
  const line = await aCommandLine()
  writeFileSync(join(line.folder, 'brand.mjs'), `export const branding = ${JSON.stringify(branding)}`)

  const { code, out } = await line.run('brand', 'preview', 'brand.mjs', '--color-scheme', 'dark', '--to', '.', '--json')

  expect([code, JSON.parse(out)]).toMatchObject([0, { index: join(line.folder, 'index.html') }])
  expect(readdirSync(join(line.folder, 'en'))).toEqual(['dark'])
})

test.each([
  ['{ "branding": { "productName": "R", "colours": {} } }', [], 1, 'colours is not an option'],
  [
    '{ "branding": { "productName": "R", "colors": { "light": { "accent": "#ffcc00" } } } }',
    [],
    1,
    'The nearest value',
  ],
  ['{ "productName": "R" }', [], 2, 'needs a member branding'],
  ['{', [], 2, 'cannot be read'],
  ['{ "branding": { "productName": "R" } }', ['--language', 'xx'], 1, 'There is no language xx. There are en, de,'],
  ['{ "branding": { "productName": "R" } }', ['--port', '70000'], 2, 'Write a number up to 65535.'],
])('brand preview refuses %s %j and says what to change', async (text, flags, expected, reason) => {
  const line = await aCommandLine()
  writeFileSync(join(line.folder, 'brand.json'), text)

  const { code, err } = await line.run('brand', 'preview', 'brand.json', ...flags, '--to', 'preview')

  expect(err).toContain(reason)
  expect(code).toBe(expected)
  expect(readdirSync(line.folder)).toEqual(['brand.json'])
})

test('brand preview names a file that does not exist', async () => {
  const { code, err } = await (await aCommandLine()).run('brand', 'preview', 'nope.json', '--to', 'preview')

  expect([code, err]).toEqual([2, expect.stringContaining('nope.json cannot be read: ENOENT')])
})

test('brand preview serves the pages on this machine until it is stopped', async () => {
  const { folder } = await aCommandLine()
  writeFileSync(join(folder, 'brand.json'), JSON.stringify({ branding }))
  const [command, ...words] = program
  const child = spawn(command, [...words, 'brand', 'preview', 'brand.json', '--port', '0', '--json'], { cwd: folder })
  onTestFinished(() => void child.kill())

  const [line = ''] = (await once(createInterface(child.stdout), 'line')) as readonly string[]
  const { url } = JSON.parse(line) as { readonly url: string }
  const [index, page, missing, form] = await Promise.all([
    fetch(url),
    fetch(`${url}en/dark/consent.html`),
    fetch(`${url}../package.json`),
    fetch(`${url}en/dark/consent.html`, { method: 'POST', redirect: 'manual' }),
  ])

  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/)
  expect([index.status, page.status, missing.status, form.status]).toEqual([200, 200, 404, 303])
  expect(await page.text()).toContain('Reading &lt;Room&gt;')
})
