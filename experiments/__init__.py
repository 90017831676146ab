"""Entry points: short scripts over the library, which never imports them."""
