// Writes docs/conformance.md, and reports cited titles that no test has.
import { writeFileSync } from 'node:fs'

import { conformancePage, missingProofs } from './conformance-page.ts'
import { standards } from '../test/conformance/standards/standards.ts'
import { testTitles } from './test-titles.ts'

const titles = testTitles()
writeFileSync('docs/conformance.md', conformancePage(standards, titles))

const missing = missingProofs(standards, titles)
for (const proof of missing) console.error(`No test has this title: ${proof}`)
process.exitCode = missing.length === 0 ? 0 : 1
