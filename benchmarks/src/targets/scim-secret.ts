/** The bearer token of the floors and of peers without secrets of their own. */
export const scimSecret = 'f7x0dVwTqv6yEu2cB9jP4mN1kL8sA3hRgZoWiXtYeUc'
