// Measures what users download and bundle, and writes docs/reference/sizes.md. What has grown needs --because "the reason".
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

import { packPackages } from './packed-packages.ts'
import { measureSizes } from './sizes/measure-sizes.ts'
import { growthOf, withoutReason } from './sizes/size.ts'
import { parseSizesPage, renderSizesPage } from './sizes/sizes-page.ts'

const page = 'docs/reference/sizes.md'
const { because } = parseArgs({ options: { because: { type: 'string' } } }).values
const { sizes: recorded, reasons } = parseSizesPage(existsSync(page) ? readFileSync(page, 'utf8') : '')
const packed = packPackages()
const sizes = await measureSizes(packed.packages)
packed.remove()

const growth = growthOf(recorded, sizes)
if (growth.length > 0 && because === undefined) {
  console.error(`These have grown:\n${growth.join('\n')}\nMake them smaller, or say why: sizes --because "…"`)
  process.exitCode = 1
} else if (because === undefined) {
  writeFileSync(page, renderSizesPage({ sizes: withoutReason(recorded, sizes), reasons }))
} else {
  const date = new Date().toISOString().slice(0, 10)
  const grown = recorded.length === 0 || growth.length === 0 ? '' : ` (${growth.join('; ')})`
  writeFileSync(page, renderSizesPage({ sizes, reasons: [`${date}: ${because}${grown}`, ...reasons] }))
}
