/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The smallest program: what is measured with it is the cost of running anything. */
int main(void)
{
	return 0;
}
