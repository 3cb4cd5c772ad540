import axe, { type AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

/** Covers each width once and each colour scheme once, because violations of one do not depend on the other. */
const looks = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 360 },
] as const

/** Returns the rule and element of every violation that axe reports for the page, including its best practices. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  const findings: string[] = []
  await page.evaluate(axe.source)
  for (const { colorScheme, width } of looks) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 800 })
    const { violations, passes } = await page.evaluate<AxeResults>('axe.run()')
    if (passes.length === 0) throw new Error(`axe has examined no element on ${page.url()}.`)
    const found = violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id} at ${node.target.join(' ')}`))
    findings.push(...found.map((finding) => `${new URL(page.url()).pathname}, ${colorScheme}: ${finding}`))
  }
  return findings
}
