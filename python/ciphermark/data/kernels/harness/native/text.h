/* Lines of words, for what no number says. */
#ifndef CIPHERMARK_TEXT_H
#define CIPHERMARK_TEXT_H

/* `kind text`, with anything unprintable in `text` made a space. */
void text_line(const char *kind, const char *text);

#endif
