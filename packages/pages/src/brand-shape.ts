import { checkOptions, type OptionCheck, required } from '@mintmark/internal'
import { originSource } from './page.ts'

/** A font of the product. */
export interface BrandFont {
  /** The name of the font family: letters, digits, spaces and hyphens, at most 60 characters. */
  readonly family: string
  /**
   * The font file, in WOFF2: an `https` address, or a base64 `data:` URI with at most 262,144 characters. The Content Security
   * Policy of the pages allows fonts only from this origin, which must send `Access-Control-Allow-Origin` (CSS Fonts §4.9).
   * @defaultValue The font that is installed on the device, if there is one of this name.
   */
  readonly url?: string | undefined
}

interface BrandShape {
  readonly font?: BrandFont | undefined
  readonly cornerRadius?: number | undefined
}

/** Returns the CSS of the font and of the corners, which replaces the values of the stylesheet. */
export function shapeStyle({ font, cornerRadius }: BrandShape): string {
  const corners = cornerRadius === undefined ? '' : `:root { --radius: ${cornerRadius / 16}rem; }\n`
  return corners + (font === undefined ? '' : fontStyle(font))
}

/** While the font is loading, the text is shown in the system's font (CSS Fonts §4.8). */
function fontStyle(font: BrandFont): string {
  checkOptions('createPages: branding.font', font, { family: required(aFamily), url: aFontAddress })
  const { family, url } = font
  const face =
    url === undefined
      ? ''
      : `@font-face { font-family: "${family}"; src: ${cssUrl(url)} format("woff2"); font-display: swap; font-weight: 100 900; }\n`
  return `${face}:root { --font: "${family}", system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }\n`
}

/** Returns the CSS of an image behind the card. Small screens have no room around the card, so they do not load it. */
export const backdropStyle = (image: string): string =>
  `@media (min-width: 30.0625rem) {
  body { background-image: ${cssUrl(image)}; background-size: cover; background-position: center; background-attachment: fixed; }
  footer { padding-inline: 1.25rem; border-radius: var(--radius); background: var(--card); }
}`

/** Encodes what would end the string or the style element. Addresses have been checked: `https`, or base64 `data:`. */
const cssUrl = (url: string): string =>
  `url("${(url.startsWith('data:') ? url : new URL(url).href).replace(/["\\<>\s]/g, encodeURIComponent)}")`

const aFamily: OptionCheck = (value) =>
  typeof value === 'string' && /^[A-Za-z0-9][A-Za-z0-9 -]{0,59}$/.test(value)
    ? undefined
    : 'must be the name of a font family: 1 to 60 letters, digits, spaces and hyphens'

const aFontAddress: OptionCheck = (value) =>
  typeof value === 'string' && isFontAddress(value)
    ? undefined
    : 'must be an https address, or a base64 data: URI of a WOFF2 font (data:font/woff2;base64,…) of at most 262144 characters'

const isFontAddress = (value: string): boolean =>
  value.startsWith('data:')
    ? value.length <= 262_144 && /^data:font\/woff2;base64,[A-Za-z0-9+/]+={0,2}$/.test(value)
    : isBrandSource(value)

/** Whether the address is `https`, or `http` on this device, and a Content Security Policy can express its origin. */
export const isBrandSource = (value: string): boolean => isPageAddress(value) && originSource(value) !== undefined

export function isPageAddress(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, hostname, username, password } = new URL(value)
  const isLocal = hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]'
  return (protocol === 'https:' || (protocol === 'http:' && isLocal)) && username === '' && password === ''
}
