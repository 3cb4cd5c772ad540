import { createPages } from '@mintmark/pages'

/** The pages of this product. */
export const { signInPage, selectAccountPage, consentPage, errorPage, logoutPage } = createPages({
  branding: {
    productName: 'Reading Room',
    logo: 'https://cdn.example.com/reading-room.svg',
    logoDark: 'https://cdn.example.com/reading-room-on-dark.svg',
    colors: {
      light: { accent: '#5b21b6' },
      dark: { accent: '#c4b5fd' },
    },
    footerLinks: [
      { label: 'Privacy', url: 'https://example.com/privacy' },
      { label: 'Help', url: 'https://example.com/help' },
    ],
    forgotPasswordUrl: 'https://example.com/forgot-password',
    createAccountUrl: 'https://example.com/join',
  },
})
