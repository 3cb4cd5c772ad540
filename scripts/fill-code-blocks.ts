// Copies each file, or region of one, that a code block names into it, so that the pages show what is compiled.
import { writeFileSync } from 'node:fs'

import { replaceCode } from './markdown/fence.ts'
import { readPages } from './markdown/page.ts'
import { shownCode } from './markdown/shown-code.ts'

for (const page of readPages()) {
  const filled = replaceCode(page, ({ source }) => (source.includes('/') ? shownCode(source) : undefined))
  if (filled !== page.text) writeFileSync(page.path, filled)
}
