import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { stylesheet, stylesheetHash } from './stylesheet.ts'

describe('stylesheet', () => {
  test('the hash in the policy is the hash of the style (CSP 3 §2.3.1)', () => {
    expect(stylesheetHash).toBe(`sha256-${createHash('sha256').update(stylesheet).digest('base64')}`)
  })

  test('loads nothing and cannot close its element', () => {
    expect(stylesheet).not.toMatch(/url\(|@import|<|\r/)
  })

  test('uses only logical directions, for languages that are written from right to left', () => {
    expect(stylesheet).not.toMatch(/-(?:left|right)\b|\b(?:left|right)\s*:|:\s*(?:left|right)\b/)
  })

  test.each(['light', 'dark'] as const)(
    'colours have enough contrast in the %s scheme (WCAG 2.2 §1.4.3, §1.4.11)',
    (scheme) => {
      const colour = coloursOf(scheme)

      const tooLow = pairs.filter(([front, back, least]) => contrast(colour(front), colour(back)) < least)

      expect(tooLow).toEqual([])
    },
  )
})

/** Every foreground colour with each background that it is used on, and the minimum contrast. */
const pairs: readonly (readonly [front: string, back: string, least: number])[] = [
  ['text', 'card', 4.5],
  ['quiet', 'card', 4.5],
  ['accent', 'tint', 4.5],
  ['accent', 'tint-hover', 4.5],
  ['accent-text', 'accent', 4.5],
  ['accent-text', 'accent-hover', 4.5],
  ['text', 'warning-tint', 4.5],
  ['warning', 'warning-tint', 4.5],
  ['control', 'card', 3],
  ['accent', 'card', 3],
  ['warning', 'card', 3],
]

function coloursOf(scheme: 'light' | 'dark'): (name: string) => string {
  const [, light = '', dark = ''] = stylesheet.split(':root {')
  return (name) => {
    const found = new RegExp(`--${name}: #([0-9a-f]{6});`).exec(scheme === 'light' ? light : dark)?.[1]
    if (found === undefined) throw new Error(`no colour ${name}`)
    return found
  }
}

/** Returns the contrast ratio, from 1 to 21, as WCAG 2.2 defines it. */
function contrast(a: string, b: string): number {
  const [lighter = 0, darker = 0] = [luminance(a), luminance(b)].toSorted((x, y) => y - x)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const channel = parseInt(colour.slice(at, at + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
