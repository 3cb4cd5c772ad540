import { anObject, checkOptions, type OptionCheck, type OptionChecks, required } from '@mintmark/internal'
import { type BrandColors, colorStyle } from './brand-colors.ts'
import { address, attribute, html, image } from './html.ts'
import { type Brand, originSource } from './page.ts'

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
  if (logo === undefined && logoDark !== undefined) throw new TypeError('createPages: branding: logoDark needs logo.')
  return {
    productName,
    style: colors && colorStyle(colors),
    imageSources: logo === undefined || logoDark === undefined ? [] : [...new Set([logo, logoDark].map(imageSource))],
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

function isPageAddress(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, hostname, username, password } = new URL(value)
  const isLocal = hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]'
  return (protocol === 'https:' || (protocol === 'http:' && isLocal)) && username === '' && password === ''
}

const anImage: OptionCheck = (value) =>
  typeof value === 'string' && isImageAddress(value)
    ? undefined
    : 'must be an https address, or a base64 data: URI of a PNG, JPEG, WebP, GIF or SVG image of at most 65536 characters'

/** Accepts SVG too, because an image in `<img>` runs no script, whatever its format (HTML §4.8.4.3). */
const isImageAddress = (value: string): boolean =>
  value.startsWith('data:')
    ? value.length <= 65_536 && /^data:image\/(?:png|jpeg|webp|gif|svg\+xml);base64,[A-Za-z0-9+/]+={0,2}$/.test(value)
    : isPageAddress(value) && originSource(value) !== undefined

const imageSource = (logo: string): string => (logo.startsWith('data:') ? 'data:' : new URL(logo).origin)

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
  footerLinks: someLinks,
  forgotPasswordUrl: aPage,
  createAccountUrl: aPage,
}
