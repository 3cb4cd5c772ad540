import { anObject, checkOptions, listOf } from '@mintmark/internal'
import { accountPage } from './account.ts'
import { approvalPage } from './approval.ts'
import { type BrandingOptions, createBrand } from './branding.ts'
import { consentPage } from './consent.ts'
import { checkLanguages } from './languages/check-languages.ts'
import { devicePage } from './device.ts'
import { english } from './languages/english.ts'
import type { Messages } from './languages/messages.ts'
import { logoutPage, signedOutPage } from './logout.ts'
import { errorPage } from './notices.ts'
import { passkeysPage } from './passkeys.ts'
import { selectAccountPage } from './select-account.ts'
import { signInPage } from './sign-in.ts'

/** The languages and the appearance of all pages of a host. */
export interface PagesOptions {
  /**
   * The languages that the pages choose from: catalogues of `@mintmark/pages/languages`, with or without changes by the host,
   * and the host's own catalogues. Users who prefer none of them get the first.
   * @defaultValue English. Bundlers leave out catalogues that are not imported.
   */
  readonly languages?: readonly Messages[] | undefined
  /**
   * The name, logo, colours and links of the product.
   * @defaultValue Pages without a name, in green. Only the host knows its product.
   */
  readonly branding?: BrandingOptions | undefined
}

/** The pages of one host. */
export interface Pages {
  readonly signInPage: typeof signInPage
  readonly consentPage: typeof consentPage
  readonly selectAccountPage: typeof selectAccountPage
  readonly accountPage: typeof accountPage
  readonly passkeysPage: typeof passkeysPage
  readonly errorPage: typeof errorPage
  readonly devicePage: typeof devicePage
  readonly approvalPage: typeof approvalPage
  readonly logoutPage: typeof logoutPage
  readonly signedOutPage: typeof signedOutPage
  /** The tags of the languages (BCP 47), for the option `discovery.uiLocales` of the server. */
  readonly locales: readonly string[]
}

/**
 * Creates the pages in the languages and with the branding of the host. Without options, they are the same as the pages
 * that this package exports.
 * @throws TypeError for an unknown option; for a catalogue with a missing or unknown text or placeholder; for two catalogues
 *   of one language; and for invalid branding or colours with too little contrast.
 */
export function createPages(options: PagesOptions = {}): Pages {
  checkOptions('createPages', options, { languages: listOf(anObject), branding: anObject })
  const { languages = [english], branding } = options
  checkLanguages(languages)
  const look = { languages, brand: branding && createBrand(branding) }
  return {
    signInPage: (input, request) => signInPage({ ...look, ...input }, request),
    consentPage: (input, request) => consentPage({ ...look, ...input }, request),
    selectAccountPage: (input, request) => selectAccountPage({ ...look, ...input }, request),
    accountPage: (input, request) => accountPage({ ...look, ...input }, request),
    passkeysPage: (input, request) => passkeysPage({ ...look, ...input }, request),
    errorPage: (input, request) => errorPage({ ...look, ...input }, request),
    devicePage: (content, request) => devicePage({ ...look, ...content }, request),
    approvalPage: (content, request) => approvalPage({ ...look, ...content }, request),
    logoutPage: (content, request) => logoutPage({ ...look, ...content }, request),
    signedOutPage: (language, request) => signedOutPage({ ...look, ...language }, request),
    locales: languages.map(({ lang }) => lang),
  }
}
