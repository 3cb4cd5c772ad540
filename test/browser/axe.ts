import axe, { type AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

/** Each width once and each colour scheme once: a violation of one does not depend on the other. */
const looks = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 360 },
] as const

/** The rule and element of everything that axe reports for the page in every appearance, best practices included. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  const findings: string[] = []
  await page.evaluate(axe.source)
  for (const { colorScheme, width } of looks) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 800 })
    const { violations, passes } = await page.evaluate<AxeResults>('axe.run()')
    if (passes.length === 0) throw new Error(`axe has looked at nothing on ${page.url()}.`)
    const found = violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id} at ${node.target.join(' ')}`))
    findings.push(...found.map((finding) => `${new URL(page.url()).pathname}, ${colorScheme}: ${finding}`))
  }
  return findings
}
