/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/text.h"

#include <string.h>

/* Decodes one character; 0 when the bytes at s are not valid UTF-8 (Unicode 15, table 3-7). */
static size_t decode(const unsigned char *s, size_t len, uint32_t *ret)
{
	unsigned char low = 0x80, high = 0xBF;
	size_t more;
	uint32_t c;

	if (s[0] < 0x80) {
		*ret = s[0];
		return 1;
	}
	if (s[0] >= 0xC2 && s[0] <= 0xDF) {
		more = 1;
		c = s[0] & 0x1Fu;
	} else if (s[0] >= 0xE0 && s[0] <= 0xEF) {
		more = 2;
		c = s[0] & 0x0Fu;
		if (s[0] == 0xE0)
			low = 0xA0; /* overlong */
		else if (s[0] == 0xED)
			high = 0x9F; /* surrogates */
	} else if (s[0] >= 0xF0 && s[0] <= 0xF4) {
		more = 3;
		c = s[0] & 0x07u;
		if (s[0] == 0xF0)
			low = 0x90; /* overlong */
		else if (s[0] == 0xF4)
			high = 0x8F; /* past U+10FFFF */
	} else {
		return 0;
	}
	if (len < more + 1)
		return 0;
	for (size_t i = 1; i <= more; i++) {
		if (s[i] < low || s[i] > high)
			return 0;
		c = c << 6 | (s[i] & 0x3Fu);
		low = 0x80;
		high = 0xBF;
	}
	*ret = c;
	return more + 1;
}

size_t text_utf8_check(const char *s, size_t len)
{
	size_t at = 0;

	while (at < len) {
		uint32_t c;
		size_t n = decode((const unsigned char *)s + at, len - at, &c);

		if (!n)
			break;
		at += n;
	}
	return at;
}

struct range {
	uint32_t from, to;
};

static bool is_in(const struct range *ranges, size_t n, uint32_t c)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (c > ranges[mid].to)
			low = mid + 1;
		else if (c < ranges[mid].from)
			high = mid;
		else
			return true;
	}
	return false;
}

/* Combining marks and invisible format characters of the scripts that names and messages use
 * (Unicode 15, general categories Mn, Me, Cf). */
static const struct range zero_width[] = {{0x300, 0x36F}, {0x483, 0x489}, {0x591, 0x5BD},
	{0x5BF, 0x5BF}, {0x5C1, 0x5C2}, {0x5C4, 0x5C5}, {0x5C7, 0x5C7}, {0x610, 0x61A},
	{0x64B, 0x65F}, {0x670, 0x670}, {0x6D6, 0x6DC}, {0x6DF, 0x6E4}, {0x6E7, 0x6E8},
	{0x6EA, 0x6ED}, {0x900, 0x902}, {0x93A, 0x93A}, {0x93C, 0x93C}, {0x941, 0x948},
	{0x94D, 0x94D}, {0x951, 0x957}, {0xE31, 0xE31}, {0xE34, 0xE3A}, {0xE47, 0xE4E},
	{0x1160, 0x11FF}, {0x1AB0, 0x1ACE}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x202A, 0x202E},
	{0x2060, 0x206F}, {0x20D0, 0x20F0}, {0x302A, 0x302D}, {0x3099, 0x309A}, {0xFE00, 0xFE0F},
	{0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0xE0001, 0xE007F}, {0xE0100, 0xE01EF}};

/* East_Asian_Width W and F (Unicode 15), neighbouring ranges joined. */
static const struct range wide[] = {{0x1100, 0x115F}, {0x231A, 0x231B}, {0x2329, 0x232A},
	{0x23E9, 0x23EC}, {0x23F0, 0x23F0}, {0x23F3, 0x23F3}, {0x25FD, 0x25FE}, {0x2614, 0x2615},
	{0x2648, 0x2653}, {0x267F, 0x267F}, {0x2693, 0x2693}, {0x26A1, 0x26A1}, {0x26AA, 0x26AB},
	{0x26BD, 0x26BE}, {0x26C4, 0x26C5}, {0x26CE, 0x26CE}, {0x26D4, 0x26D4}, {0x26EA, 0x26EA},
	{0x26F2, 0x26F3}, {0x26F5, 0x26F5}, {0x26FA, 0x26FA}, {0x26FD, 0x26FD}, {0x2705, 0x2705},
	{0x270A, 0x270B}, {0x2728, 0x2728}, {0x274C, 0x274C}, {0x274E, 0x274E}, {0x2753, 0x2755},
	{0x2757, 0x2757}, {0x2795, 0x2797}, {0x27B0, 0x27B0}, {0x27BF, 0x27BF}, {0x2B1B, 0x2B1C},
	{0x2B50, 0x2B50}, {0x2B55, 0x2B55}, {0x2E80, 0x303E}, {0x3041, 0x3247}, {0x3250, 0x4DBF},
	{0x4E00, 0xA4CF}, {0xA960, 0xA97C}, {0xAC00, 0xD7A3}, {0xF900, 0xFAFF}, {0xFE10, 0xFE19},
	{0xFE30, 0xFE6B}, {0xFF01, 0xFF60}, {0xFFE0, 0xFFE6}, {0x16FE0, 0x18CD8},
	{0x1AFF0, 0x1B2FB}, {0x1F004, 0x1F004}, {0x1F0CF, 0x1F0CF}, {0x1F18E, 0x1F18E},
	{0x1F191, 0x1F19A}, {0x1F200, 0x1F320}, {0x1F32D, 0x1F335}, {0x1F337, 0x1F37C},
	{0x1F37E, 0x1F393}, {0x1F3A0, 0x1F3CA}, {0x1F3CF, 0x1F3D3}, {0x1F3E0, 0x1F3F0},
	{0x1F3F4, 0x1F3F4}, {0x1F3F8, 0x1F43E}, {0x1F440, 0x1F440}, {0x1F442, 0x1F4FC},
	{0x1F4FF, 0x1F53D}, {0x1F54B, 0x1F54E}, {0x1F550, 0x1F567}, {0x1F57A, 0x1F57A},
	{0x1F595, 0x1F596}, {0x1F5A4, 0x1F5A4}, {0x1F5FB, 0x1F64F}, {0x1F680, 0x1F6C5},
	{0x1F6CC, 0x1F6CC}, {0x1F6D0, 0x1F6D2}, {0x1F6D5, 0x1F6D7}, {0x1F6DC, 0x1F6DF},
	{0x1F6EB, 0x1F6EC}, {0x1F6F4, 0x1F6FC}, {0x1F7E0, 0x1F7EB}, {0x1F7F0, 0x1F7F0},
	{0x1F90C, 0x1F93A}, {0x1F93C, 0x1F945}, {0x1F947, 0x1F9FF}, {0x1FA70, 0x1FAF8},
	{0x20000, 0x2FFFD}, {0x30000, 0x3FFFD}};

size_t text_width(const char *s)
{
	size_t len = strlen(s), at = 0, width = 0;

	while (at < len) {
		uint32_t c;
		size_t n = decode((const unsigned char *)s + at, len - at, &c);

		if (!n) {
			width++;
			at++;
			continue;
		}
		at += n;
		if (is_in(wide, ARRAY_SIZE(wide), c))
			width += 2;
		else if (!is_in(zero_width, ARRAY_SIZE(zero_width), c))
			width++;
	}
	return width;
}

/* Controls, and the characters that turn the direction of text or end a line: with those a hostile
 * name could show as something else. */
static bool is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029 ||
	       (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

void text_clean(struct buf *to, const char *s, size_t len)
{
	for (size_t at = 0; at < len;) {
		uint32_t c;
		size_t n = decode((const unsigned char *)s + at, len - at, &c);

		if (!n)
			buf_adds(to, "\xEF\xBF\xBD"); /* U+FFFD */
		else if (c == '\n' || c == '\t')
			buf_addc(to, ' ');
		else if (is_control(c))
			buf_addc(to, '?');
		else
			buf_add(to, s + at, n);
		at += n ? n : 1;
	}
}

void text_clean_lines(struct buf *to, const char *s, size_t len)
{
	for (size_t at = 0; at < len; at++) {
		const char *end = memchr(s + at, '\n', len - at);
		size_t n = end ? (size_t)(end - s) - at : len - at;

		text_clean(to, s + at, n);
		if (end)
			buf_addc(to, '\n');
		at += n;
	}
}

int text_cut(const char *s, int max)
{
	int len = (int)strnlen(s, (size_t)max + 1);

	if (len <= max)
		return len;
	for (len = max; len && ((unsigned char)s[len] & 0xC0) == 0x80;)
		len--;
	return len;
}

void text_mask(char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if ((c < 0x20 && c != '\t') || c == 0x7f)
			s[i] = '?';
	}
	for (size_t i = text_utf8_check(s, len); i < len; i += text_utf8_check(s + i, len - i))
		s[i] = '?';
}
