import { anObject, checkOptions, type OptionCheck, type OptionChecks, required, wholeNumber } from '@mintmark/internal'
import { type BrandColors, colorStyle } from './brand-colors.ts'
import { backdropStyle, type BrandFont, isBrandSource, isPageAddress, shapeStyle } from './brand-shape.ts'
import { address, attribute, html, iconLink, image } from './html.ts'
import type { Brand } from './page.ts'

/** The appearance of the pages for one product. */
export interface BrandingOptions {
  /** The name of the product, at most 60 characters. Every page shows it, and has it in the title. */
  readonly productName: string
  /**
   * The logo, which replaces the name at the top of every page, at most 48 px high. An `https` address, or a base64 `data:`
   * URI of a PNG, JPEG, WebP, GIF or SVG image with at most 65,536 characters. The Content Security Policy of the pages
   * allows images only from this origin, or from `data:` URIs.
   * @defaultValue The name of the product.
   */
  readonly logo?: string | undefined
  /**
   * The logo for browsers that prefer the dark scheme.
   * @defaultValue The value of `logo`.
   */
  readonly logoDark?: string | undefined
  /**
   * Colours per scheme, as `#rrggbb`. Text must have a contrast of 4.5:1 (WCAG 2.2 §1.4.3).
   * @defaultValue Green. Without a dark accent, the light accent is used, brightened until it has enough contrast.
   */
  readonly colors?: BrandColors | undefined
  /**
   * The icon of the browser's tab: an image like `logo`.
   * @defaultValue None. The browser asks the origin of the server for `/favicon.ico`.
   */
  readonly favicon?: string | undefined
  /**
   * An image like `logo`, which covers the page behind the card. Screens that are as narrow as the card do not show it.
   * @defaultValue None. The page has the colour `background`.
   */
  readonly backgroundImage?: string | undefined
  /**
   * The font of all texts but codes.
   * @defaultValue The font of the system. It needs no request.
   */
  readonly font?: BrandFont | undefined
  /**
   * The radius of the corners of the card, in pixels, from 0 to 32. Buttons and fields have half of it.
   * @defaultValue 20.
   */
  readonly cornerRadius?: number | undefined
  /**
   * At most six links at the bottom of every page, such as the privacy policy.
   * @defaultValue None.
   */
  readonly footerLinks?: readonly FooterLink[] | undefined
  /**
   * The host's page for users who forgot their password. The sign-in page links to it.
   * @defaultValue No link.
   */
  readonly forgotPasswordUrl?: string | undefined
  /**
   * The host's page for users who have no account yet. The sign-in page links to it.
   * @defaultValue No link.
   */
  readonly createAccountUrl?: string | undefined
}

interface FooterLink {
  /** At most 60 characters, the same in every language. */
  readonly label: string
  /** An `https` address, or `http` on this device. */
  readonly url: string
}

/**
 * Checks the options and renders the parts that all pages have in common.
 * @throws TypeError that names the option and, for colours, the measured contrast and the nearest colour that passes.
 */
export function createBrand(options: BrandingOptions): Brand {
  checkOptions('createPages: branding', options, checks)
  const { productName, logo, logoDark = logo, colors, footerLinks = [], forgotPasswordUrl, createAccountUrl } = options
  const { favicon, backgroundImage, font } = options
  if (logo === undefined && logoDark !== undefined) throw new TypeError('createPages: branding: logoDark needs logo.')
  const style = (colors === undefined ? '' : colorStyle(colors)) + shapeStyle(options)
  return {
    productName,
    style: style === '' ? undefined : style,
    backdrop: backgroundImage === undefined ? undefined : backdropStyle(backgroundImage),
    icon: favicon === undefined ? undefined : iconLink(favicon),
    imageSources: sourcesOf([logo, logoDark, favicon, backgroundImage]),
    fontSources: sourcesOf([font?.url]),
    header:
      logo === undefined
        ? html`<p class="brand">${productName}</p>`
        : html`<p class="brand">${image({ source: logo, darkSource: logoDark, alternative: productName })}</p>`,
    footer:
      footerLinks.length === 0
        ? undefined
        : html`<footer>
<ul>${footerLinks.map(({ label, url }) => html`<li><a ${address('href', url)} ${attribute('rel', 'noreferrer')}>${label}</a></li>`)}</ul>
</footer>`,
    forgotPasswordUrl,
    createAccountUrl,
  }
}

const aName: OptionCheck = (value) =>
  typeof value === 'string' && value.trim() !== '' && value.length <= 60
    ? undefined
    : 'must be a string of 1 to 60 characters'

const aPage: OptionCheck = (value) =>
  typeof value === 'string' && isPageAddress(value) ? undefined : 'must be an https address, or http on this device'

const anImage: OptionCheck = (value) =>
  typeof value === 'string' && isImageAddress(value)
    ? undefined
    : 'must be an https address, or a base64 data: URI of a PNG, JPEG, WebP, GIF or SVG image of at most 65536 characters'

/** Accepts SVG too, because an image in `<img>` runs no script, whatever its format (HTML §4.8.4.3). */
const isImageAddress = (value: string): boolean =>
  value.startsWith('data:')
    ? value.length <= 65_536 && /^data:image\/(?:png|jpeg|webp|gif|svg\+xml);base64,[A-Za-z0-9+/]+={0,2}$/.test(value)
    : isBrandSource(value)

/** Returns the Content Security Policy sources of files: `data:`, or their origins. */
const sourcesOf = (files: readonly (string | undefined)[]): readonly string[] => [
  ...new Set(
    files.flatMap((file) => (file === undefined ? [] : [file.startsWith('data:') ? 'data:' : new URL(file).origin])),
  ),
]

const someLinks: OptionCheck = (value) => {
  if (!Array.isArray(value) || value.length > 6) return 'must be a list of at most 6 links'
  return value.every(isLink) ? undefined : 'needs links that have only a label (1 to 60 characters) and a url (https)'
}

const isLink = (link: unknown): boolean =>
  typeof link === 'object' &&
  link !== null &&
  Object.keys(link).toSorted().join() === 'label,url' &&
  'label' in link &&
  'url' in link &&
  aName(link.label) === undefined &&
  aPage(link.url) === undefined

const checks: OptionChecks<BrandingOptions> = {
  productName: required(aName),
  logo: anImage,
  logoDark: anImage,
  colors: anObject,
  favicon: anImage,
  backgroundImage: anImage,
  font: anObject,
  cornerRadius: wholeNumber(0, 32),
  footerLinks: someLinks,
  forgotPasswordUrl: aPage,
  createAccountUrl: aPage,
}
