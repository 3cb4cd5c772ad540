import { anObject, checkOptions, type OptionCheck } from '@mintmark/internal'

/**
 * The colours of a product. Each colour is optional and has a default. If only the light scheme has an accent, the
 * accent of the dark scheme is derived from it.
 */
export interface BrandColors {
  readonly light?: SchemeColors | undefined
  /** For browsers that prefer the dark scheme. */
  readonly dark?: SchemeColors | undefined
}

interface SchemeColors {
  /** Buttons, icons, links and the focus outline. */
  readonly accent?: string | undefined
  /**
   * Text on the accent.
   * @defaultValue White or black, whichever has more contrast.
   */
  readonly accentText?: string | undefined
  /** The background of the page, around the card and under the links in the footer. */
  readonly background?: string | undefined
}

/**
 * Returns the CSS that replaces the default colours.
 * @throws TypeError for a pair of colours whose contrast is below 4.5:1 (WCAG 2.2 §1.4.3). The message suggests the nearest
 *   colour that has enough contrast.
 */
export function colorStyle(colors: BrandColors): string {
  checkOptions('createPages: branding.colors', colors, { light: anObject, dark: anObject })
  const { light = {}, dark = {} } = colors
  const darkAccent = dark.accent ?? (light.accent && nearestAccent(light.accent, defaults.dark))
  const lightStyle = schemeStyle('light', light)
  const darkStyle = schemeStyle('dark', { ...dark, accent: darkAccent })
  return `:root { ${lightStyle} }
@media (prefers-color-scheme: dark) { :root { ${darkStyle} } }`
}

function schemeStyle(name: 'light' | 'dark', colors: SchemeColors): string {
  const path = `createPages: branding.colors.${name}`
  checkOptions(path, colors, { accent: aColor, accentText: aColor, background: aColor })
  const scheme = defaults[name]
  const { accent = scheme.accent, background = scheme.background } = colors
  const accentText = colors.accentText ?? readableOn(accent)
  const { tint, tintHover, hover } = shadesOf(accent, accentText, scheme)

  requireContrast({ path, option: 'accentText', front: accentText, back: accent, backName: 'accent' })
  // The hover tint is the darkest of the three backgrounds in the light scheme, and the brightest in the dark scheme.
  for (const [back, backName] of [
    [scheme.card, 'the card'],
    [tint, 'its tint'],
    [tintHover, 'its tint on hover'],
  ] as const) {
    const ratio = contrast(accent, back)
    if (ratio < minimumContrast) {
      const nearest = nearestAccent(accent, scheme)
      const readable = contrast(accentText, nearest) >= minimumContrast ? undefined : readableOn(nearest)
      const advice = readable === undefined ? nearest : `${nearest}, with ${readable} as accentText`
      throw contrastError(`${path}: accent ${accent} on ${backName} ${back}`, ratio, advice)
    }
  }
  const mutedContrast = contrast(scheme.mutedText, background)
  if (mutedContrast < minimumContrast) {
    const nearest = nearestPassing(
      background,
      scheme.extreme,
      (color) => contrast(scheme.mutedText, color) >= minimumContrast,
    )
    throw contrastError(`${path}: the text ${scheme.mutedText} on background ${background}`, mutedContrast, nearest)
  }
  return [
    `--accent: ${accent}; --accent-text: ${accentText}; --accent-hover: ${hover};`,
    `--tint: ${tint}; --tint-hover: ${tintHover}; --ground: ${background};`,
  ].join(' ')
}

function requireContrast(pair: {
  readonly path: string
  readonly option: string
  readonly front: string
  readonly back: string
  readonly backName: string
}): void {
  const { path, option, front, back, backName } = pair
  const ratio = contrast(front, back)
  if (ratio >= minimumContrast) return
  const extreme = contrast('#ffffff', back) > contrast('#000000', back) ? '#ffffff' : '#000000'
  const nearest = nearestPassing(front, extreme, (color) => contrast(color, back) >= minimumContrast)
  throw contrastError(`${path}: ${option} ${front} on ${backName} ${back}`, ratio, nearest)
}

/** Rounds the ratio down to two decimals, so that 4.499 is not reported as 4.50. */
function contrastError(pair: string, ratio: number, nearest: string): TypeError {
  const measured = (Math.floor(ratio * 100) / 100).toFixed(2)
  return new TypeError(
    `${pair} has a contrast of ${measured}:1, below 4.5:1 (WCAG 2.2, 1.4.3). The nearest value that passes is ${nearest}.`,
  )
}

interface Scheme {
  readonly accent: string
  readonly background: string
  readonly card: string
  readonly mutedText: string
  /** Mixing this colour into the background increases the contrast between the background and the muted text. */
  readonly extreme: string
  /** Mixing this colour into the accent increases the contrast between the accent and the card. */
  readonly opposite: string
}

/** The default colours. A test checks that the stylesheet has the same values. */
export const defaults: Readonly<Record<'light' | 'dark', Scheme>> = {
  light: {
    accent: '#0b6a4f',
    background: '#eef2f0',
    card: '#ffffff',
    mutedText: '#52615a',
    extreme: '#ffffff',
    opposite: '#000000',
  },
  dark: {
    accent: '#66d5ac',
    background: '#0d1311',
    card: '#161f1b',
    mutedText: '#a7b6af',
    extreme: '#000000',
    opposite: '#ffffff',
  },
}

const aColor: OptionCheck = (value) =>
  typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value) ? undefined : 'must be a colour as #rrggbb'

/** Returns the accent, made lighter or darker if text in this colour would otherwise have too little contrast. */
function nearestAccent(accent: string, scheme: Scheme): string {
  // If the value is not a colour, `schemeStyle` later throws an error that names the option.
  if (aColor(accent) !== undefined) return accent
  return nearestPassing(accent, scheme.opposite, (color) => {
    const { tint, tintHover } = shadesOf(color, readableOn(color), scheme)
    return [scheme.card, tint, tintHover].every((back) => contrast(color, back) >= minimumContrast)
  })
}

function nearestPassing(color: string, extreme: string, passes: (color: string) => boolean): string {
  const steps = Array.from({ length: 257 }, (_, step) => mix(color, extreme, step / 256))
  return steps.find(passes) ?? extreme
}

function shadesOf(accent: string, accentText: string, { card }: Scheme) {
  // The hover colour moves away from the colour of the text, so that its contrast is never lower.
  const away = luminance(accentText) > luminance(accent) ? '#000000' : '#ffffff'
  return { tint: mix(card, accent, 0.1), tintHover: mix(card, accent, 0.18), hover: mix(accent, away, 0.18) }
}

const readableOn = (color: string): string =>
  contrast('#ffffff', color) >= contrast('#000000', color) ? '#ffffff' : '#000000'

function mix(from: string, to: string, share: number): string {
  const target = channels(to)
  const mixed = channels(from).map((value, at) => Math.round(value + ((target[at] ?? value) - value) * share))
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

const minimumContrast = 4.5

/** Returns the contrast ratio, from 1 to 21, as WCAG 2.2 defines it. */
function contrast(a: string, b: string): number {
  const [one, other] = [luminance(a), luminance(b)]
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map((value) =>
    value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const channels = (color: string): readonly number[] => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16))
