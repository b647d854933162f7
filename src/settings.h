/*
 * settings.h
 *		Every gaussdp.* setting, alphabetical.
 */
#ifndef GAUSSDP_SETTINGS_H
#define GAUSSDP_SETTINGS_H

/* Defines the settings and reserves the prefix; called once, by _PG_init. */
extern void gaussdp_settings_init(void);

#endif /* GAUSSDP_SETTINGS_H */
